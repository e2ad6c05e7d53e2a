//! The way out of an error, where it lies in what is asked for, is data: what a program calls it is its own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, ReadOptions, Reader, Remedy, WriteOptions, Writer};

fn start(format: &str, names: &[&str], options: &WriteOptions) -> Result<Writer<Vec<u8>>, Error> {
    let algorithms: Vec<_> = names.iter().map(|name| Algorithm::named(name).unwrap()).collect();
    Writer::new(Format::named(format).unwrap(), &algorithms, options, Vec::new())
}

#[test]
fn the_way_out_that_is_asked_for_is_data() {
    let format = |name| Format::named(name).unwrap();
    let algorithm = |name| Algorithm::named(name).unwrap();
    let plain = WriteOptions::default();
    let zero = WriteOptions { zero: true, ..plain.clone() };
    let written = |format: &str, names: &[&str], options: &WriteOptions| {
        start(format, names, options).err().map(|error| error.remedy())
    };
    assert_eq!(written("gnu", &["md5"], &plain), None);
    assert_eq!(written("gnu", &[], &plain), Some(Some(Remedy::AnyAlgorithm)));
    assert_eq!(written("hashdeep", &["md5"], &zero), Some(Some(Remedy::FormatWithNulEnds)));
    assert_eq!(written("nsrl", &["md5"], &plain), Some(Some(Remedy::SeeFormats)));
    let crc32 = algorithm("crc32");
    assert_eq!(written("sfv", &["md5"], &plain), Some(Some(Remedy::AlgorithmOrFormat(crc32))));
    // What to do is in the message, for it is not for the caller to name it.
    assert_eq!(written("gnu", &["md5", "sha1"], &plain), Some(None));

    let options = ReadOptions::default();
    let read = |text: &str, options: &ReadOptions<'_>| {
        Reader::open(text.as_bytes(), options).err().and_then(|error| error.remedy())
    };
    let line = |digits: usize| format!("{}  a\n", "0".repeat(digits));
    assert_eq!(read(&line(32), &options), Some(Remedy::TellAlgorithm(algorithm("md4"))));
    assert_eq!(read(&line(18), &options), Some(Remedy::IfAlgorithm(algorithm("blake2b-72"))));
    assert_eq!(read("once upon a time\n", &options), Some(Remedy::TellFormat));
    assert_eq!(read(&format!("\0{}", line(32)), &options), Some(Remedy::NulEndsOrUtf8));
    let md5 = ReadOptions { algorithm: Some(algorithm("md5")), ..options.clone() };
    let headed = format!("# hashlane algorithm: blake2s\n{}", line(64));
    assert_eq!(read(&headed, &md5), Some(Remedy::AlgorithmOrNone(algorithm("blake2s"))));
    let named = ReadOptions { file_name: Some(b"SHA256SUMS"), ..md5 };
    assert_eq!(read(&line(64), &named), Some(Remedy::AlgorithmOrNone(algorithm("sha256"))));
    let bag = ReadOptions { file_name: Some(b"SHA1SUMS"), ..options };
    let other = "path,md5\na,00000000000000000000000000000000\n";
    if let Some(remedy) = read(other, &bag) {
        assert_eq!(remedy, Remedy::FormatOrName(format("csv")));
    }
}
