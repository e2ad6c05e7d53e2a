//! A history of ASC MHL: a generation, or what stands before a NUL as the chain file and what follows as a generation.

use std::fs;

use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, ReadOptions, Reader};
use hashlane_mhl::History;

/// What the generation is called.
const GENERATION: &str = "0001_a_2026-01-01_000000Z.mhl";

pub(super) fn check(input: &[u8]) {
    let (chain, generation) = match input.iter().position(|&byte| byte == 0) {
        Some(at) => (input[..at].to_vec(), &input[at + 1..]),
        None => (chain_of(input), input),
    };
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join("ascmhl");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join("ascmhl_chain.xml"), chain).expect("written");
    fs::write(folder.join(GENERATION), generation).expect("written");
    let Ok(history) = History::open(directory.path()) else { return };
    let listing = history.listing();
    assert!(listing.files.len() + history.findings().len() <= input.len() + 1, "more files than bytes");
    let mut list = Vec::new();
    listing.write(&mut list).expect("memory takes it");
    let mhl = Format::named("mhl").expect("it is registered");
    let options = ReadOptions { format: Some(mhl), ..ReadOptions::default() };
    let read = Reader::open(&list[..], &options).expect("it is a list");
    let read = read.flatten().map(|item| item.path.as_bytes().to_vec());
    let files = listing.files.iter().filter(|(_, known)| !known.digests.is_empty());
    assert!(read.eq(files.map(|(path, _)| path.as_bytes().to_vec())), "another list than was written");
}

/// The chain file of this one generation.
fn chain_of(generation: &[u8]) -> Vec<u8> {
    let c4 = Algorithm::C4.digest(generation);
    let link = format!("<hashlist sequencenr=\"1\"><path>{GENERATION}</path><c4>{c4}</c4></hashlist>");
    format!("<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">{link}</ascmhldirectory>").into()
}
