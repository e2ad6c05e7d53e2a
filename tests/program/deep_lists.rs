//! `hashlane as md5deep -m`: rows of odd lists, given to Debian's programs as well.

use std::collections::BTreeSet;

use crate::work::{Dir, Ran, digest, have};

/// A kind of list.
struct Kind {
    name: &'static str,
    header: Option<&'static str>,
    /// What the row of a file is made of: `{md5}`, `{sha1}`, `{sha256}`, and text.
    fields: &'static [&'static str],
    /// The kin that find a digest in it.
    kin: &'static [&'static str],
    /// Whether the original passes over a row that is read here.
    is_read_in_more_rows: bool,
}

static KINDS: [Kind; 9] = [
    Kind { name: "plain", header: None, fields: &["{md5}  name"], kin: &["md5"], is_read_in_more_rows: true },
    Kind {
        name: "sizes",
        header: None,
        fields: &["         2  {md5}  name"],
        kin: &["md5"],
        is_read_in_more_rows: true,
    },
    Kind {
        name: "bsd",
        header: None,
        fields: &["MD5 (name) = {md5}"],
        kin: &["md5"],
        is_read_in_more_rows: true,
    },
    Kind {
        name: "nsrl 1.5",
        header: Some(
            r#""SHA-1","FileName","FileSize","ProductCode","OpSystemCode","MD4","MD5","CRC32","SpecialCode""#,
        ),
        fields: &[r#""{sha1}""#, r#""name""#, "2", "1", r#""WIN""#, r#""""#, r#""{md5}""#, r#""0""#, r#""""#],
        kin: &["md5", "sha1"],
        is_read_in_more_rows: false,
    },
    Kind {
        name: "nsrl 2",
        header: Some(
            r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#,
        ),
        fields: &[r#""{sha1}""#, r#""{md5}""#, r#""0""#, r#""name""#, "2", "1", r#""WIN""#, r#""""#],
        kin: &["md5", "sha1"],
        is_read_in_more_rows: false,
    },
    Kind {
        name: "ilook 3",
        header: Some("V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512"),
        fields: &["{md5}", "{sha1}", "name", "C:\\x", "2", "{sha256}", "", ""],
        kin: &["md5", "sha1", "sha256"],
        is_read_in_more_rows: false,
    },
    Kind {
        name: "ilook 4",
        header: Some(
            "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime",
        ),
        fields: &["{md5}", "{sha1}", "name", "C:\\x", "2", "{sha256}", "", "", "1.4.2008 9:00:00", "x", "y"],
        kin: &["md5", "sha1", "sha256"],
        is_read_in_more_rows: false,
    },
    Kind {
        name: "ilook 1",
        header: Some("V1Hash,HashType,SetDescription,FileName,FilePath,FileSize"),
        fields: &["{md5}", "md5", "set", "name", "C:\\x", "2"],
        // The original wants a space behind the digest, which no iLook wrote.
        kin: &[],
        is_read_in_more_rows: true,
    },
    Kind {
        name: "hashkeeper",
        header: Some(
            r#""file_id","hashset_id","file_name","directory","hash","file_size","date_modified","time_modified","time_zone","comments","date_accessed","time_accessed""#,
        ),
        fields: &["1", "1", r#""name""#, r#""x""#, r#""{md5}""#, "2", "", "", "", "", "", r#""""#],
        kin: &["md5"],
        is_read_in_more_rows: true,
    },
];

/// A row as it should be, and every way in which it is odd.
fn rows(fields: &[&str]) -> Vec<String> {
    let all = fields.join(",");
    let with = |place: usize, field: String| {
        let field_of =
            |(at, old): (usize, &&str)| if at == place { field.clone() } else { (*old).to_owned() };
        fields.iter().enumerate().map(field_of).collect::<Vec<_>>().join(",")
    };
    let mut rows = vec![
        all.clone(),
        format!("{all},extra"),
        format!("{all},"),
        format!("{all},x,y"),
        format!("{all}\r"),
        format!("{all}\r\r"),
        format!("\r{all}"),
        format!("{all} "),
        format!(" {all}"),
        format!("\t{all}"),
        fields.join(";"),
        fields.join("\t"),
        all.replace("  ", " "),
        all.replace("  ", " \t"),
        all.replace("  ", " *"),
        all.replace("name", ""),
        all.replace("name", "(na) = me)"),
        format!("# {all}"),
        String::new(),
        "   ".to_owned(),
        "prose".to_owned(),
    ];
    rows.extend((1..fields.len()).map(|count| fields[..count].join(",")));
    for (place, field) in fields.iter().enumerate() {
        let bare = field.trim_matches('"');
        let odd = ["", "\"", "text", "\"x,y\"", "x\"y\"z", "a\rb"].map(str::to_owned);
        let made = [
            format!("\"{bare}\""),
            bare.to_owned(),
            format!("\"{bare}"),
            format!("{bare}\""),
            format!("\"\"{bare}\"\""),
            format!(" {field}"),
            format!("{field} "),
            format!("{field}0"),
        ];
        rows.extend(odd.into_iter().chain(made).map(|field| with(place, field)));
    }
    rows
}

/// The files that were matched, and the lines that were named.
fn outcome(ran: &Ran) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let number = |line: &str, behind: &str| line.rsplit_once(behind)?.1.parse().ok();
    let matched = String::from_utf8(ran.stdout.clone()).unwrap();
    let matched = matched.lines().map(|line| number(line, "t/").unwrap()).collect();
    let named = ran.stderr.lines().filter_map(|line| number(line, "No hash found in line ")).collect();
    (matched, named)
}

#[test]
fn every_row_that_the_originals_take_is_taken() {
    if !have("md5deep") {
        return;
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for kind in &KINDS {
        let dir = Dir::new();
        let rows = rows(kind.fields);
        for number in 0..rows.len() {
            dir.write(format!("t/{number}"), number.to_string());
        }
        for end in ["\n", "\r\n"] {
            let mut list: Vec<_> = kind.header.into_iter().map(str::to_owned).collect();
            for (number, row) in rows.iter().enumerate() {
                let hex = |row: String, algorithm| {
                    row.replace(&format!("{{{algorithm}}}"), &digest(algorithm, number.to_string()))
                };
                let row = ["md5", "sha1", "sha256"].into_iter().fold(row.clone(), hex);
                // Every fourth in capitals.
                list.push(if number % 4 == 3 && kind.name != "bsd" { row.to_uppercase() } else { row });
            }
            dir.write("list", list.join(end) + end);
            for kin in kind.kin {
                let words = ["-r", "-l", "-m", "list", "t"];
                let name = format!("{kin}deep");
                let theirs = outcome(&dir.command(&name, words).run());
                let ours = outcome(&dir.hashlane(["as", &name]).args(words).run());
                let is_right = match kind.is_read_in_more_rows {
                    // Comments are none of those: what stands there is no row here.
                    true => {
                        (kind.name == "hashkeeper" || theirs.0.len() > 10)
                            && theirs.0.difference(&ours.0).all(|&row| rows[row].starts_with('#'))
                    }
                    // What only begins with a digest passes for one there, and never matches: here it is named.
                    false => !theirs.0.is_empty() && theirs.0 == ours.0 && theirs.1.is_subset(&ours.1),
                };
                compared += rows.len();
                if !is_right {
                    let missed: Vec<_> = theirs.0.difference(&ours.0).map(|&row| &rows[row]).collect();
                    wrong.push(format!(
                        "{} {kin} {end:?}: missed {missed:?}\ntheirs {theirs:?}\nours   {ours:?}",
                        kind.name
                    ));
                }
            }
        }
    }
    println!("{compared} rows compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_of_sets_that_the_originals_do_not_read_are_taken_alike() {
    for kind in KINDS.iter().filter(|kind| ["ilook 1", "hashkeeper"].contains(&kind.name)) {
        let dir = Dir::new();
        let row = |number: usize| kind.fields.join(",").replace("{md5}", &digest("md5", number.to_string()));
        for number in 0..4 {
            dir.write(format!("t/{number}"), number.to_string());
        }
        let list = [
            kind.header.unwrap().to_owned(),
            row(0),
            format!("{},more", row(1)),
            format!("{}\r", row(2).replace("name", "na\"me\"")),
            "prose".to_owned(),
        ];
        dir.write("list", list.join("\n"));
        let ran = dir.hashlane(["as", "md5deep", "-r", "-l", "-m", "list", "t"]).run();
        assert_eq!(outcome(&ran), ([0, 1, 2].into(), [5].into()), "{}", kind.name);
    }
}

#[test]
fn every_record_of_a_set_of_encase_is_taken() {
    if !have("md5deep") {
        return;
    }
    let dir = Dir::new();
    let mut records = Vec::new();
    for number in 0..4 {
        dir.write(format!("t/{number}"), number.to_string());
        let md5 = hashlane_digest::Algorithm::MD5.digest(number.to_string().as_bytes());
        records.extend_from_slice(md5.as_bytes());
        records.extend_from_slice(&[0, 0]);
    }
    // The number that the header says, and how much is left of the records; or how much is behind them.
    for (said, length) in [(4, 72), (1, 72), (9, 72), (0, 72), (4, 71), (3, 56), (4, 75), (0, 0), (2, 0)] {
        let mut set = b"HASH\r\n\xff\0\x01\0\0\0\0\0\0\0".to_vec();
        set.push(said);
        set.resize(0x480, 0);
        set.extend_from_slice(&records);
        set.resize(0x480 + length, 0);
        dir.write("list", &set);
        let words = ["-r", "-l", "-w", "-m", "list", "t"];
        let theirs = dir.command("md5deep", words).run();
        let ours = dir.hashlane(["as", "md5deep"]).args(words).run();
        let sorted = |ran: &Ran| {
            let mut lines: Vec<_> = ran.lines().into_iter().map(<[u8]>::to_vec).collect();
            lines.sort();
            (ran.status.code(), lines, ran.stderr.clone())
        };
        assert_eq!(sorted(&ours), sorted(&theirs), "{said} in the header, {length} bytes of records");
    }
}
