//! What is looked at of a table of Parquet before the library believes it.
//!
//! The library takes memory for as many values as a page says that it has, and goes down as deep into a schema as that goes. A
//! table that nobody would write could so take all the memory or all the stack there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::Type;

use super::MAGIC;
use super::deltas::Deltas;
use super::parser::BATCH_ROWS;
use crate::write_options::MAX_NAME_BYTES;

/// What is said where the library panics.
pub(super) const CONTRADICTION: &str = "its parts contradict each other";

/// The last bytes of a table: the length of what stands before them, and the mark.
const TAIL_BYTES: usize = 8;

/// What a table may say of itself, in bytes. Ours say two megabytes for 10^8 files, and the roots of a run.
const MOST_METADATA_BYTES: usize = 32 << 20;

/// Columns, and groups of them. Each may lie in the one before it, and takes a call there.
const MOST_ELEMENTS: usize = 20_000;
const STACK_FOR_AN_ELEMENT: usize = 8 << 10;
const LEAST_STACK_BYTES: usize = 1 << 20;

/// Groups within groups.
const MOST_DEPTH: usize = 64;

/// Rows for each byte of a file: one alike for all rows takes next to nothing, but a name for each does not.
const MOST_ROWS_IN_A_BYTE: u64 = 1_000;

/// What a table says of itself.
pub(crate) fn metadata<R: ChunkReader>(file: &Arc<R>) -> Result<ParquetMetaData, ParquetError> {
    let start = file.len().checked_sub(TAIL_BYTES as u64);
    let start = start.ok_or_else(|| refused("it has no end: it was cut off"))?;
    let tail = file.get_bytes(start, TAIL_BYTES)?;
    let (length, mark) = tail.split_at(4);
    if mark != MAGIC {
        return Err(refused("it has no end: it was cut off, is still being written, or is encrypted"));
    }
    let length = length.try_into().map_or(0, u32::from_le_bytes) as usize;
    if length > MOST_METADATA_BYTES {
        return Err(refused("what it says of itself is too long"));
    }
    let place =
        start.checked_sub(length as u64).ok_or_else(|| refused("what it says of itself lies before it"))?;
    let beginning = file.get_bytes(place, length.min(BEGINNING_BYTES))?;
    let elements =
        elements(&beginning).ok_or_else(|| refused("what it says of itself cannot be understood"))?;
    if elements > MOST_ELEMENTS {
        return Err(refused("it has more than 20,000 columns"));
    }
    // A thread of its own has as much stack as the deepest schema of that many takes.
    let stack = LEAST_STACK_BYTES + STACK_FOR_AN_ELEMENT * elements;
    let parsed = thread::scope(|scope| {
        let parse = || {
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&**file)?;
            check_depth(metadata.file_metadata().schema_descr().root_schema())?;
            Ok(metadata)
        };
        let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, parse);
        thread
            .map_err(|error| ParquetError::External(Box::new(error)))?
            .join()
            .unwrap_or_else(|_| Err(refused(CONTRADICTION)))
    })?;
    check_joined(file, &parsed, start - length as u64)?;
    let rows: Option<u64> = parsed
        .row_groups()
        .iter()
        .try_fold(0_u64, |rows, group| rows.checked_add(u64::try_from(group.num_rows()).ok()?));
    if rows.is_none_or(|rows| rows / MOST_ROWS_IN_A_BYTE > file.len()) {
        return Err(refused("it claims more rows than it can have"));
    }
    Ok(parsed)
}

/// Refuses tables that were joined as lists of lines can be. All places are counted from the beginning of the last one, so the first
/// would pass for it.
fn check_joined<R: ChunkReader>(
    file: &Arc<R>,
    metadata: &ParquetMetaData,
    end: u64,
) -> Result<(), ParquetError> {
    let last = metadata.row_groups().iter().flat_map(|group| group.columns()).flat_map(|column| {
        let (start, length) = match column.dictionary_page_offset().unwrap_or(column.data_page_offset()) {
            start @ 0.. => (start as u64, u64::try_from(column.compressed_size()).unwrap_or(0)),
            _ => (0, 0),
        };
        let part = |offset: Option<i64>, length: Option<i32>| {
            let offset = u64::try_from(offset.unwrap_or(0)).unwrap_or(0);
            offset.saturating_add(u64::try_from(length.unwrap_or(0)).unwrap_or(0))
        };
        [
            start.saturating_add(length),
            part(column.column_index_offset(), column.column_index_length()),
            part(column.offset_index_offset(), column.offset_index_length()),
            part(column.bloom_filter_offset(), column.bloom_filter_length()),
        ]
    });
    // What lies between the last part and the end, if the table begins where the file does; else what lies before the table.
    let Some(gap) = last.max().and_then(|last| end.checked_sub(last)).filter(|&gap| gap > 0) else {
        return Ok(());
    };
    match file.get_bytes(gap, MAGIC.len()) {
        Ok(bytes) if &bytes[..] == MAGIC => Err(refused(
            "several tables were joined to one file, of which none can be told; read them one by one",
        )),
        _ => Ok(()),
    }
}

fn refused(why: &str) -> ParquetError {
    ParquetError::General(why.to_owned())
}

/// How much of what a table says of itself has the number of its columns, in bytes.
const BEGINNING_BYTES: usize = 32;

/// How many columns and groups a table has: its version comes first, and then a list of them, whose length stands before it.
fn elements(metadata: &[u8]) -> Option<usize> {
    /// A number, the list that follows, and its structures, as the compact protocol of Thrift writes them.
    const VERSION: u8 = 0x15;
    const LIST: u8 = 0x19;
    const STRUCTURE: u8 = 0x0c;

    let mut rest = metadata.strip_prefix(&[VERSION])?;
    number(&mut rest)?;
    rest = rest.strip_prefix(&[LIST])?;
    let (&header, behind) = rest.split_first()?;
    rest = behind;
    match (header >> 4, header & 0x0f) {
        (15, STRUCTURE) => usize::try_from(number(&mut rest)?).ok(),
        (count, STRUCTURE) => Some(count.into()),
        _ => None,
    }
}

/// A number of seven bits a byte, the lowest first.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn check_depth(schema: &Type) -> Result<(), ParquetError> {
    let mut left = vec![(schema, 0)];
    while let Some((group, depth)) = left.pop() {
        if depth > MOST_DEPTH {
            return Err(refused("its columns lie too deep in each other"));
        }
        if group.is_group() {
            left.extend(group.get_fields().iter().map(|field| (&**field, depth + 1)));
        }
    }
    Ok(())
}

/// How much memory the values of all columns of a group take that are rebuilt at once, from what each shares with the one before. In the
/// file they take next to nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rebuilt(Arc<AtomicUsize>);

impl Rebuilt {
    /// Bytes of the rows that are read at once, over all columns. Of names of 4 KiB it has room for 16 times as many. Rows that
    /// are read at once may lie in two such windows.
    const MOST: usize = 64 << 20;

    /// Takes `bytes` in place of those that were taken before; false if that is too much.
    fn take(&self, bytes: usize, before: usize) -> bool {
        self.0.fetch_sub(before, Ordering::Relaxed);
        bytes <= Self::MOST && self.0.fetch_add(bytes, Ordering::Relaxed) <= Self::MOST - bytes
    }
}

/// Values of a column that are rebuilt, by windows of as many as are read at once, whatever pages they lie in.
#[derive(Debug, Default)]
struct Windows {
    /// Values and bytes of the present window.
    values: usize,
    bytes: usize,
    /// The largest one of the present page, in bytes.
    largest: usize,
}

impl Windows {
    fn add(&mut self, bytes: usize) {
        if self.values == BATCH_ROWS {
            (self.values, self.bytes) = (0, 0);
        }
        self.values += 1;
        self.bytes += bytes;
        self.largest = self.largest.max(self.bytes);
    }
}

/// The pages of a column, each looked at before it is decoded.
pub(super) struct Checked<P> {
    pages: P,
    physical: Physical,
    is_optional: bool,
    rebuilt: Rebuilt,
    windows: Windows,
}

impl<P: PageReader> Checked<P> {
    pub(super) fn new(pages: P, physical: Physical, is_optional: bool, rebuilt: Rebuilt) -> Self {
        Self { pages, physical, is_optional, rebuilt, windows: Windows::default() }
    }

    fn check(&mut self, page: &Page) -> Result<(), ParquetError> {
        let (encoding, values) = (page.encoding(), page.num_values() as usize);
        let buffer: &[u8] = page.buffer();
        // Other levels than these have no length before them, so what is looked at would not be what is decoded. Where there are none, their
        // encoding says nothing, and some write another one. What is repeated is not read at all.
        if let Page::DataPage { def_level_encoding, .. } = page
            && self.is_optional
            && *def_level_encoding != Encoding::RLE
        {
            return Err(refused("its levels are packed in an old way, which is not read"));
        }
        if let Page::DictionaryPage { .. } = page {
            // No value takes less than that; of those of a fixed length the library knows more.
            let least = if self.physical == Physical::FIXED_LEN_BYTE_ARRAY { 1 } else { 4 };
            return match values <= buffer.len() / least {
                true => Ok(()),
                false => Err(refused("a dictionary claims more values than it can have")),
            };
        }
        match encoding {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                match delta_count(values_of(page, self.is_optional)) {
                    Some(count) if count <= values as u64 => Ok(()),
                    _ => Err(refused("a page claims more values than it has")),
                }
            }
            Encoding::DELTA_BYTE_ARRAY => {
                let values = values_of(page, self.is_optional);
                let before = std::mem::take(&mut self.windows.largest);
                let checked = check_shared_beginnings(values, page.num_values().into(), &mut self.windows);
                match checked {
                    Some(()) if self.rebuilt.take(self.windows.largest, before) => Ok(()),
                    Some(()) => Err(refused("its values take too much memory")),
                    None => Err(refused("a page claims more or longer values than it has")),
                }
            }
            _ => Ok(()),
        }
    }
}

/// What of a data page is values, behind the levels that say which rows have one.
fn values_of(page: &Page, is_optional: bool) -> &[u8] {
    let buffer: &[u8] = page.buffer();
    let skipped = match page {
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            *def_levels_byte_len as usize + *rep_levels_byte_len as usize
        }
        Page::DataPage { .. } if is_optional => {
            let length = buffer.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
            4 + length as usize
        }
        _ => 0,
    };
    buffer.get(skipped..).unwrap_or_default()
}

/// Looks through values that are written as what they share with the one before, and what follows: how many they are, and how long each
/// of them is. `None` if they are more than there are rows, or longer than can be.
fn check_shared_beginnings(values: &[u8], rows: u64, windows: &mut Windows) -> Option<()> {
    /// No name and no digest is longer. That many bytes at once fit into memory.
    const LONGEST: usize = MAX_NAME_BYTES;

    let mut shared = Deltas::new(values)?;
    let count = shared.left();
    if count > rows {
        return None;
    }
    for _ in 0..count {
        shared.next()?;
    }
    let mut own = Deltas::new(shared.behind()?)?;
    if own.left() != count {
        return None;
    }
    let mut shared = Deltas::new(values)?;
    let (mut last, mut all_own) = (0, 0_usize);
    for _ in 0..count {
        let (begin, rest) = (usize::try_from(shared.next()?).ok()?, usize::try_from(own.next()?).ok()?);
        if begin > last || rest > LONGEST || begin + rest > LONGEST {
            return None;
        }
        last = begin + rest;
        windows.add(last);
        all_own = all_own.checked_add(rest)?;
    }
    (all_own <= own.behind()?.len()).then_some(())
}

/// How many values a block of deltas claims: its third number, behind the sizes of blocks.
fn delta_count(mut block: &[u8]) -> Option<u64> {
    number(&mut block)?;
    number(&mut block)?;
    number(&mut block)
}

impl<P: PageReader> Iterator for Checked<P> {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for Checked<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(encoding: Encoding, num_values: u32, buffer: &'static [u8]) -> Page {
        Page::DataPage {
            buf: buffer.into(),
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    struct Many(std::collections::VecDeque<Page>);

    impl Iterator for Many {
        type Item = Result<Page, ParquetError>;

        fn next(&mut self) -> Option<Self::Item> {
            self.0.pop_front().map(Ok)
        }
    }

    impl PageReader for Many {
        fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
            Ok(self.0.pop_front())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<(), ParquetError> {
            Ok(())
        }
    }

    fn passes(page: Page, is_optional: bool) -> bool {
        of_column(page, is_optional, &Rebuilt::default())
    }

    /// Whether the first page of a column passes that shares its memory with others.
    fn of_column(page: Page, is_optional: bool, rebuilt: &Rebuilt) -> bool {
        Checked::new(Many([page].into()), Physical::BYTE_ARRAY, is_optional, rebuilt.clone())
            .get_next_page()
            .is_ok()
    }

    /// A list of numbers: the first, and all others.
    fn numbers(count: u32, first: u32, other: u32) -> Vec<u8> {
        let number = |mut number: u64| {
            let mut bytes = Vec::new();
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
            bytes
        };
        let signed = |value: i64| number(((value << 1) ^ (value >> 63)).cast_unsigned());
        let mut bytes = [number(128), number(4), number(count.into()), signed(first.into())].concat();
        for block in 0..(count - 1).div_ceil(128) {
            // What is added to each is the least step. In the first block all but the first are above it, or only the first.
            let step = i64::from(other) - i64::from(first);
            let least = if block == 0 { step.min(0) } else { 0 };
            let above = |place: u32| match (block, place) {
                (0, 0) => step - least,
                (0, _) => -least,
                _ => 0,
            };
            bytes.extend(signed(least));
            bytes.extend([32; 4]);
            bytes.extend((0..128).flat_map(|place| (above(place) as u32).to_le_bytes()));
        }
        bytes
    }

    /// Values, each the same as the one before it. The first has `length` bytes.
    fn alike(count: u32, length: u32) -> &'static [u8] {
        let (shared, own) = (numbers(count, 0, length), numbers(count, length, 0));
        [shared, own, vec![b'a'; length as usize]].concat().leak()
    }

    #[test]
    fn values_that_share_their_beginnings_take_no_more_memory_than_there_is_for_all_columns() {
        let beginnings = Encoding::DELTA_BYTE_ARRAY;
        let (rows, most) = (BATCH_ROWS as u32, Rebuilt::MOST as u32);
        let length = most / rows;
        assert!(passes(page(beginnings, rows, alike(rows, length)), false), "all of it");
        assert!(!passes(page(beginnings, rows, alike(rows, length + 1)), false), "more than that");
        assert!(passes(page(beginnings, 8 * rows, alike(8 * rows, length)), false), "not all at once");
        assert!(passes(page(beginnings, rows / 8, alike(rows / 8, length + 1)), false), "a few long ones");
        // Each of many columns takes its share.
        let rebuilt = Rebuilt::default();
        let column = |_| of_column(page(beginnings, rows, alike(rows, length / 4)), false, &rebuilt);
        assert_eq!([0; 5].map(column), [true, true, true, true, false]);
        // Pages of a column share a window, and a later one has what an earlier one had.
        let pages = |count: u32, values: u32, length: u32| {
            let pages = (0..count).map(|_| page(beginnings, values, alike(values, length)));
            let mut column =
                Checked::new(Many(pages.collect()), Physical::BYTE_ARRAY, false, Rebuilt::default());
            (0..count).take_while(|_| column.get_next_page().is_ok()).count()
        };
        assert_eq!(pages(8, rows, length), 8);
        assert_eq!(pages(8, rows / 4, length), 8);
        assert_eq!(pages(8, rows / 4, length * 2), 2);
    }

    #[test]
    fn levels_that_have_no_length_before_them_are_refused() {
        #[expect(deprecated, reason = "the library decodes it")]
        let packed = Encoding::BIT_PACKED;
        let with = |levels: Encoding| Page::DataPage {
            buf: (&b"\x02\0\0\0\x02\x01\x80\x01\x04\x01\x00"[..]).into(),
            num_values: 1,
            encoding: Encoding::DELTA_LENGTH_BYTE_ARRAY,
            def_level_encoding: levels,
            rep_level_encoding: packed,
            statistics: None,
        };
        assert!(passes(with(Encoding::RLE), true), "what is not repeated has no such levels");
        assert!(!passes(with(packed), true));
        // Of a column that has a value in each row some say so, and it has no levels.
        let required = Page::DataPage {
            buf: (&b"\x80\x01\x04\x01\x00"[..]).into(),
            num_values: 1,
            encoding: Encoding::DELTA_LENGTH_BYTE_ARRAY,
            def_level_encoding: packed,
            rep_level_encoding: packed,
            statistics: None,
        };
        assert!(passes(required, false));
    }

    #[test]
    fn pages_that_claim_more_than_they_have_are_refused() {
        let dictionary = |num_values| Page::DictionaryPage {
            buf: vec![0; 40].into(),
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        assert!(passes(dictionary(10), false));
        assert!(!passes(dictionary(11), false));
        let deltas = Encoding::DELTA_LENGTH_BYTE_ARRAY;
        assert!(passes(page(deltas, 300, b"\x80\x01\x04\xac\x02\x00"), false));
        assert!(!passes(page(deltas, 299, b"\x80\x01\x04\xac\x02\x00"), false));
        assert!(passes(page(deltas, 1, b"\x02\0\0\0\x02\x01\x80\x01\x04\x01\x00"), true));
        assert!(!passes(page(deltas, 1, b"\x02\0\0\0\x02\x01\x80\x01\x04\xff\xff\xff\x7f"), true));
        assert!(!passes(page(deltas, 1, b"\xff\xff"), false));
        assert!(!passes(page(Encoding::DELTA_BYTE_ARRAY, 1, b""), false));
        // `ab` and `abc`: they share 0 and 2 bytes, and have 2 and 1 of their own.
        let two = |shared: &[u8], own: &[u8], rest: &[u8]| {
            let head = |first| [&b"\x80\x01\x04\x02"[..], &[first]].concat();
            let lengths = |first, more: &[u8]| [&head(first)[..], more].concat();
            [&lengths(0, shared)[..], &lengths(4, own), rest].concat().leak()
        };
        let beginnings = Encoding::DELTA_BYTE_ARRAY;
        // How much more the second number is than the first one: 2, 1 less, and 3.
        let (two_more, one_less, three_more) = (b"\x04\0\0\0\0", b"\x01\0\0\0\0", b"\x06\0\0\0\0");
        assert!(passes(page(beginnings, 2, two(two_more, one_less, b"abc")), false));
        assert!(!passes(page(beginnings, 1, two(two_more, one_less, b"abc")), false), "fewer rows");
        assert!(!passes(page(beginnings, 2, two(two_more, one_less, b"ab")), false), "fewer bytes");
        assert!(
            !passes(page(beginnings, 2, two(three_more, one_less, b"abc")), false),
            "shared with nothing"
        );
        assert!(passes(page(Encoding::PLAIN, 1_000_000, b""), false), "the library sees that by itself");
    }
}
