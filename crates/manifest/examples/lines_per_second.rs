//! Lines a second of every format on one core, read and written:
//! `cargo run --release -p hashlane-manifest --example lines_per_second [LINES] [FORMAT]...`.

use std::time::Instant;

use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::{Facts, ItemPath, Origin, Outcome, Record, Timestamp};

/// Unless another number is given.
const LINES: usize = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut named: Vec<_> = std::env::args().skip(1).collect();
    let lines = match named.first().map(|number| number.parse()) {
        Some(Ok(number)) => {
            named.remove(0);
            number
        }
        _ => LINES,
    };
    let sha256 = Algorithm::SHA256;
    let time = Timestamp { seconds: 1_790_000_000, nanos: 123_456_789 };
    let record = |number: usize| Record {
        number: number as u64,
        path: ItemPath::from(
            format!("photos/2026/{:03}/picture-{number:08}.jpeg", number / (lines / 365).max(1)).as_bytes(),
        ),
        outcome: Outcome::Read,
        facts: Some(Facts {
            size_bytes: 4096,
            modified: time,
            changed: time,
            accessed: time,
            device: 1,
            inode: 1,
            links: 1,
        }),
        digests: vec![sha256.digest(&number.to_le_bytes())],
        pieces: None,
        digested_bytes: 4096,
        origin: Origin::default(),
        medium: Default::default(),
        state: None,
        tag: Box::default(),
    };
    let records: Vec<_> = (0..lines).map(record).collect();
    println!("{:16} {:>14} {:>14}   million lines/s, best of 5", "format", "read", "written");
    let is_asked_for = |format: &Format| named.is_empty() || named.iter().any(|name| name == format.name());
    for format in Format::all().filter(is_asked_for) {
        let (mut read, mut written) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            let start = Instant::now();
            let sink = Vec::with_capacity(400 * lines);
            let Ok(mut writer) = Writer::new(format, &[sha256], &WriteOptions::default(), sink) else {
                break;
            };
            for record in &records {
                writer.record(record)?;
            }
            let text = writer.finish()?;
            written = written.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let options = ReadOptions { algorithm: Some(sha256), ..ReadOptions::default() };
            let mut count = 0;
            for (item, record) in Reader::open(&text[..], &options)?.zip(&records) {
                let item = item?;
                assert!(item.path == record.path && item.digests == record.digests);
                count += 1;
            }
            read = read.min(start.elapsed().as_secs_f64());
            assert_eq!(count, lines);
        }
        if read.is_infinite() {
            continue;
        }
        let rate = |seconds: f64| lines as f64 / seconds / 1e6;
        println!("{:16} {:14.2} {:14.2}", format.name(), rate(read), rate(written));
    }
    Ok(())
}
