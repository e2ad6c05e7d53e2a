//! Help and version.

use super::options::Ends;
use super::settings::Family;
use super::voice::Voice;
use super::written;

/// The version of the original whose command line this is.
const VERSION: &str = "4.4";

const HASHDEEP: &str = "\
-a            audit: compare FILES with the known files of -k, and say whether they are the same
-m, -x        show the FILES that are known, or those that are not; -M, -X with their digests
-k LIST       known files: a list of hashdeep's; may be given several times
-w            with -m: show which known file it is
-c NAME,...   what is computed: md5, sha1, sha256, tiger, whirlpool or all; md5 and sha256 by default
-E            names are the same if they differ in case only
-v            say more: counters, then files that differ, then all files
-V            show the version";

const SINGLE: &str = "\
-m, -x LIST   show the FILES whose digests are in LIST, or those whose are not; -M, -X with the digest
-a, -A HASH   the same for a single digest
-w            with -m or -x: show which known file it is
-n            with -m or -x: show the known files that nothing matched, and no others
-z            show sizes
-t            show the time of the last change, in UTC
-Z            triage: size, digest of the first 512 bytes, digest of all
-k, -c, -q    an asterisk before names; commas between columns; no names
-S            as -s, but name bad lines of lists
-v            show the version; -V its terms";

const BOTH: &str = "\
-r            read what is in directories
-f LIST       read the files that a list names, one a line
-o TYPES      read only b block devices, c character devices, p pipes, f files, l what links lead to,
              s sockets, e programs of Windows
-i SIZE       pass over larger files; -I: show them with stars
-p SIZE       digests of pieces of this size: 512, 64k, 10m
-b, -l        names without directories; names as they were given
-0, -u        end lines with NUL; write what is not ASCII as code points
-W FILE       write to FILE
-j N          use N threads
-s            say nothing of files that cannot be read
-d            write DFXML, the XML of digital forensics
-e, -C, -D, -F  accepted, without effect";

/// Shows help, once however often it is asked for.
pub(super) fn print(voice: &Voice, family: Family, times: u32) -> Result<(), Ends> {
    if times > 1 {
        return Ok(());
    }
    let own = if family == Family::Hashdeep { HASHDEEP } else { SINGLE };
    let program = &voice.program;
    let head = format!("{program} {VERSION}, as hashlane runs it\nUse: {program} [OPTION]... [FILE]...");
    written(voice, format!("{head}\n\n{own}\n{BOTH}\n").as_bytes())
}

/// Shows the version.
pub(super) fn version(voice: &Voice) -> Ends {
    shown(voice, VERSION)
}

/// Shows under which terms this program comes.
pub(super) fn terms(voice: &Voice) -> Ends {
    shown(
        voice,
        "hashlane, under the MIT license or the Apache License 2.0, at your choice; without warranty",
    )
}

fn shown(voice: &Voice, line: &str) -> Ends {
    let text = [line.as_bytes(), &[voice.end()]].concat();
    written(voice, &text).err().unwrap_or(Ends(0))
}
