//! Reports as providers write them, and as nobody would.

use std::io::{Seek as _, Write as _};
use std::sync::Arc;

use data_encoding::BASE64;
use hashlane_digest::Algorithm;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;
use crate::rfc3339;

fn file(text: impl AsRef<[u8]>) -> File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(text.as_ref()).expect("written");
    file.rewind().expect("at its beginning");
    file
}

/// The provider, and all statements of a report.
fn read(file: File) -> Result<(Provider, Vec<Statement>), Error> {
    let report = Report::open(file)?;
    let (provider, mut statements) = (report.provider(), Vec::new());
    report.each(&mut |statement| {
        statements.push(statement);
        Ok::<_, Error>(())
    })?;
    Ok((provider, statements))
}

fn all(text: impl AsRef<[u8]>) -> (Provider, Vec<Statement>) {
    read(file(text)).expect("a report")
}

fn refused(text: impl AsRef<[u8]>) -> String {
    read(file(text)).expect_err("it is refused").to_string()
}

fn digest(algorithm: &str, bytes: &[u8]) -> Digest {
    Algorithm::named(algorithm).expect("registered").digest(bytes)
}

fn base64(algorithm: &str, bytes: &[u8]) -> String {
    BASE64.encode(digest(algorithm, bytes).as_bytes())
}

/// A row of a completion report, as S3 writes it.
fn row(key: &str, algorithm: &str, kind: &str, base64: &str) -> String {
    format!(
        "keep,{key},,succeeded,200,,\"{{\"\"checksum_base64\"\":\"\"{base64}\"\",\"\"etag\"\":\"\"e1\"\",\
         \"\"checksumAlgorithm\"\":\"\"{algorithm}\"\",\"\"checksumType\"\":\"\"{kind}\"\"}}\"\n"
    )
}

#[test]
fn names_of_algorithms_are_known_in_whatever_case() {
    for name in ["SHA256", "sha256", "Sha256"] {
        let (_, statements) = all(row("a", name, "FULL_OBJECT", &base64("sha256", b"abc")));
        assert_eq!(statements[0].digests, [digest("sha256", b"abc")], "{name}");
    }
}

#[test]
fn a_completion_report_of_s3() {
    let good = base64("sha256", b"abc");
    let text = [
        row("d/a%2Cb%22%0A%25", "SHA256", "FULL_OBJECT", &good),
        row("plus+space", "CRC64NVME", "FULL_OBJECT", &base64("crc64nvme", b"abc")),
        row("parts", "CRC32C", "COMPOSITE", "AAAAAA==-3"),
        row("new", "SHA3", "FULL_OBJECT", "AAAA"),
        "keep,denied,v1,failed,AccessDenied,403,Access Denied\n".to_owned(),
    ]
    .concat();
    let (provider, statements) = all(&text);
    assert_eq!((provider, statements.len()), (Provider::S3, 5));
    assert!(provider.has_computed());
    assert_eq!(statements[0].name, b"d/a,b\"\n%");
    assert_eq!(statements[0].digests, [digest("sha256", b"abc")]);
    assert_eq!(
        (statements[0].bucket.as_deref(), statements[0].etag.as_deref()),
        (Some(&b"keep"[..]), Some("e1"))
    );
    assert_eq!(statements[1].name, b"plus space");
    assert_eq!(statements[1].name_with_plus.as_deref(), Some(&b"plus+space"[..]));
    assert_eq!((&statements[2].standing, statements[2].digests.len()), (&Standing::Composite, 0));
    assert_eq!(statements[3].other.as_deref(), Some("SHA3"));
    assert_eq!(statements[4].standing, Standing::Failed("AccessDenied 403 Access Denied".to_owned()));
    assert_eq!((statements[4].version.as_deref(), statements[4].line), (Some("v1"), 5));
    // The version that is written over has a name, too.
    let (_, statements) = all("keep,a,null,failed,AccessDenied,403,\nkeep,a,,failed,AccessDenied,403,\n");
    assert_eq!((statements[0].version.as_deref(), &statements[1].version), (Some("null"), &None));
    // With the header that nobody needs.
    let with_header =
        format!("Bucket, Key, VersionId, TaskStatus, ErrorCode, HTTPStatusCode, ResultMessage\n{text}");
    assert_eq!(all(&with_header).1.len(), 5);
    // By its digits, and where both are there they say the same.
    let hex = digest("md5", b"abc").to_string();
    let both = |base64: &str| {
        format!(
            "keep,a,,succeeded,,200,\"{{\"\"checksum_base64\"\":\"\"{base64}\"\",\"\"checksum_hex\"\":\"\"{hex}\"\",\
             \"\"checksumAlgorithm\"\":\"\"MD5\"\",\"\"checksumType\"\":\"\"FULL_OBJECT\"\"}}\"\n"
        )
    };
    assert_eq!(all(both("")).1[0].digests, [digest("md5", b"abc")]);
    assert_eq!(all(both(&base64("md5", b"abc"))).1[0].digests, [digest("md5", b"abc")]);
    assert!(refused(both(&base64("md5", b"abd"))).contains("in base64 and in hexadecimal differ"));
}

#[test]
fn a_malformed_completion_report_says_where() {
    let good = row("a", "SHA256", "FULL_OBJECT", &base64("sha256", b"abc"));
    for (second, expected) in [
        (good[..good.len() - 20].to_owned(), "line 2: the task did not compute a checksum"),
        ("keep,b,,succ\n".to_owned(), "line 2: has 4 columns instead of 7"),
        (row("b", "SHA256", "FULL_OBJECT", "AAAA"), "line 2: the checksum is not a valid sha256 checksum"),
        (row("b", "SHA256", "FULL_OBJECT", ""), "line 2: there is no checksum"),
        (row("b", "SHA256", "HALF", "AAAA"), "line 2: \"HALF\" is not a checksum type"),
        (row("100%", "SHA256", "FULL_OBJECT", "AAAA"), "line 2: the key \"100%\" is not URL-encoded"),
        (row("", "SHA256", "FULL_OBJECT", "AAAA"), "line 2: has no key"),
        ("keep,b,,done,200,,x\n".to_owned(), "line 2: \"done\" is not a task status"),
        ("keep,b,,succeeded,200,,Successful\n".to_owned(), "line 2: the task did not compute a checksum"),
        (
            format!("keep,{},,failed\n", "k".repeat(2 * MAX_STATEMENT_BYTES)),
            "line 2: it is longer than 1 MiB",
        ),
    ] {
        let said = refused(good.clone() + &second);
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn inventories_of_google_and_azure_in_csv() {
    let (crc, md5) = (base64("crc32c", b"abc"), base64("md5", b"abc"));
    let google = format!(
        "project,bucket,name,size,timeCreated,updated,timeDeleted,crc32c,md5Hash,generation,contentType\n\
         p,keep,\"d/a,b\",3,2026-11-20T01:02:03Z,2026-11-21T00:00:00Z,,{crc},{md5},17,text/plain\n\
         p,keep,composite,3,2026-11-20T01:02:03.5Z,,,{crc},,18,\n\
         p,keep,old,3,2026-11-20T02:02:03+01:00,,2026-11-22T00:00:00Z,{crc},{md5},16,\n"
    );
    let (provider, statements) = all(&google);
    assert_eq!((provider, statements.len(), provider.has_computed()), (Provider::Google, 3, false));
    assert_eq!(statements[0].name, b"d/a,b");
    assert_eq!(statements[0].digests, [digest("crc32c", b"abc"), digest("md5", b"abc")]);
    assert_eq!(statements[0].modified, rfc3339::parse("2026-11-20T01:02:03Z"));
    assert_eq!((statements[0].size, statements[0].version.as_deref()), (Some(3), Some("17")));
    assert_eq!((statements[1].digests.len(), &statements[1].standing), (1, &Standing::Present));
    assert_eq!(statements[2].standing, Standing::Earlier);
    assert_eq!(statements[2].modified, statements[0].modified);
    for delimiter in [";", "|", "\t"] {
        let text = google.replace("\"d/a,b\"", "x").replace(',', delimiter);
        assert_eq!(all(&text).1.len(), 3, "{delimiter:?}");
    }
    let azure = format!(
        "\u{feff}Name,Creation-Time,Last-Modified,Etag,Content-Length,Content-MD5,hdi_isfolder,VersionId,IsCurrentVersion,Snapshot\r\n\
         keep/d/a,2026-11-20T01:02:03Z,2026-11-20T01:02:03Z,0x8D,3,{md5},false,v2,true,\r\n\
         keep/d/a,2026-11-20T01:02:03Z,2026-11-20T01:02:03Z,0x8D,3,{md5},false,v1,false,\r\n\
         keep/d/a,2026-11-20T01:02:03Z,2026-11-20T01:02:03Z,0x8D,3,{md5},false,,,2026-11-19T00:00:00Z\r\n\
         keep/d,2026-11-20T01:02:03Z,2026-11-20T01:02:03Z,0x8D,0,,true,,,\r\n"
    );
    let (provider, statements) = all(&azure);
    assert_eq!((provider, statements.len()), (Provider::Azure, 3));
    assert_eq!((statements[0].bucket.as_deref(), &statements[0].name[..]), (Some(&b"keep"[..]), &b"d/a"[..]));
    let standings: Vec<_> = statements.iter().map(|statement| statement.standing.clone()).collect();
    assert_eq!(standings, [Standing::Present, Standing::Earlier, Standing::Earlier]);
    for (from, to, expected) in [
        (",3,2026", ",x,2026", "line 2: \"x\" is not a size"),
        ("2026-11-20T01:02:03Z", "yesterday", "line 2: \"yesterday\" is not a time"),
        (&crc[..], "00000000", "line 2: \"00000000\" is not a crc32c checksum in base64"),
        (",17,text/plain", "", "line 2: has 9 columns instead of 11"),
        ("\"d/a,b\"", "", "line 2: has no name"),
    ] {
        assert_eq!(refused(google.replacen(from, to, 1)), expected);
    }
    let said = refused(azure.replacen("keep/d/a", "keep", 1));
    assert_eq!(said, "line 2: the name does not begin with a container");
}

/// A table of Parquet with three rows.
fn table(schema: &str, write: impl Fn(&str) -> Cells) -> File {
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut file = tempfile::tempfile().expect("a file");
    let again = file.try_clone().expect("the same file");
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(again, Arc::clone(&schema), properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    for column in schema.get_fields() {
        let mut open = group.next_column().expect("a column").expect("one more");
        match write(column.name()) {
            Cells::Bytes(values) => {
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<ByteArray> =
                    values.into_iter().flatten().map(|value| value.into_bytes().into()).collect();
                open.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).expect("written");
            }
            Cells::Longs(values) => {
                let levels = vec![1; values.len()];
                open.typed::<Int64Type>().write_batch(&values, Some(&levels), None).expect("written");
            }
            Cells::Bools(values) => {
                let levels = vec![1; values.len()];
                open.typed::<BoolType>().write_batch(&values, Some(&levels), None).expect("written");
            }
        }
        open.close().expect("closed");
    }
    group.close().expect("closed");
    writer.close().expect("closed");
    file.rewind().expect("at its beginning");
    file
}

enum Cells {
    Bytes(Vec<Option<String>>),
    Longs(Vec<i64>),
    Bools(Vec<bool>),
}

fn texts(texts: [&str; 3]) -> Cells {
    Cells::Bytes(texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty())).to_vec())
}

#[test]
fn inventories_of_google_and_azure_as_tables() {
    let google = "message m { optional binary bucket (UTF8); optional binary name (UTF8); optional int64 size;
        optional int64 timeCreated (TIMESTAMP_MICROS); optional binary crc32c (UTF8); optional binary md5Hash (UTF8);
        optional int64 generation; optional binary contentType (UTF8); }";
    let (crc, md5) = (base64("crc32c", b"abc"), base64("md5", b"abc"));
    let google = |crc: String| {
        table(google, |name| match name {
            "bucket" => texts(["keep", "keep", "keep"]),
            "name" => texts(["a", "b", "c"]),
            "crc32c" => texts([&crc, &crc, &crc]),
            "md5Hash" => texts([&md5, "", &md5]),
            "size" => Cells::Longs(vec![3, 3, 3]),
            "timeCreated" => Cells::Longs(vec![1_500_000, 0, 0]),
            "generation" => Cells::Longs(vec![1, 2, 3]),
            _ => texts(["", "", ""]),
        })
    };
    let (provider, statements) = read(google(crc.clone())).expect("a report");
    assert_eq!((provider, statements.len()), (Provider::Google, 3));
    assert_eq!(statements[0].modified, Some(Timestamp { seconds: 1, nanos: 500_000_000 }));
    assert_eq!(statements[0].digests, [digest("crc32c", b"abc"), digest("md5", b"abc")]);
    assert_eq!((statements[1].digests.len(), statements[2].version.as_deref()), (1, Some("3")));
    let wrong = read(google("x".to_owned())).expect_err("no base64").to_string();
    assert_eq!(wrong, "row 1: \"x\" is not a crc32c checksum in base64");
    let azure = "message m { optional binary Name (UTF8); optional int64 Content-Length; optional binary Content-MD5 (UTF8);
        optional boolean hdi_isfolder; optional boolean IsCurrentVersion; }";
    let azure = table(azure, |name| match name {
        "Name" => texts(["keep/a", "keep/d", "keep/a"]),
        "Content-MD5" => texts([&md5, "", &md5]),
        "Content-Length" => Cells::Longs(vec![3, 0, 3]),
        "hdi_isfolder" => Cells::Bools(vec![false, true, false]),
        _ => Cells::Bools(vec![true, true, false]),
    });
    let (provider, statements) = read(azure).expect("a report");
    assert_eq!((provider, statements.len()), (Provider::Azure, 2));
    assert_eq!((&statements[0].name[..], &statements[1].standing), (&b"a"[..], &Standing::Earlier));
    let manifest = table("message m { optional binary path (UTF8); }", |_| texts(["a", "b", "c"]));
    assert!(matches!(read(manifest), Err(Error::Unknown)));
}

#[test]
fn a_list_by_rclone() {
    let hex = |algorithm: &str| digest(algorithm, b"abc").to_string();
    let text = format!(
        "[\n{{\"Path\":\"d\",\"Name\":\"d\",\"Size\":-1,\"ModTime\":\"2026-11-20T01:02:03Z\",\"IsDir\":true}},\n\
         {{\"Path\":\"d/a\\n\\\"\",\"Name\":\"a\",\"Size\":3,\"ModTime\":\"2026-11-20T02:02:03.25+01:00\",\"IsDir\":false,\
         \"Hashes\":{{\"MD5\":\"{}\",\"SHA-1\":\"{}\",\"quickxor\":\"x\",\"crc32\":\"\"}},\"Tier\":\"hot\"}},\n\
         {{\"Path\":\"b\",\"Size\":-1,\"ModTime\":\"\",\"Hashes\":{{\"xxh3\":\"{}\"}}}}\n]\n",
        hex("md5"),
        hex("sha1"),
        hex("xxh3")
    );
    let (provider, statements) = all(&text);
    assert_eq!((provider, statements.len()), (Provider::Rclone, 2));
    assert_eq!(statements[0].name, b"d/a\n\"");
    assert_eq!(statements[0].digests, [digest("md5", b"abc"), digest("sha1", b"abc")]);
    assert_eq!(statements[0].other.as_deref(), Some("quickxor"));
    assert_eq!(statements[0].modified, rfc3339::parse("2026-11-20T01:02:03.25Z"));
    assert_eq!((statements[1].size, statements[1].modified), (None, None));
    assert_eq!(all("[]").1, []);
    for (wrong, expected) in [
        (text[..text.len() - 10].to_owned(), "line 4: the list was cut off before its end"),
        (text.replace("01:02:03Z", "x"), ""),
        (text.replace(&hex("md5"), "zz"), "row 2: \"zz\" is not a hash of MD5"),
        (text.replace("\"Path\":\"b\",", ""), "line 4: missing field `Path`"),
        (text.replace("+01:00", "+25:00"), "row 2: \"2026-11-20T02:02:03.25+25:00\" is not a time"),
        (text.clone() + "x", "line 6: trailing characters"),
        (
            format!("[{{\"Path\":\"{}\"}}]", "p".repeat(2 * MAX_STATEMENT_BYTES)),
            "line 1: it is longer than 1 MiB",
        ),
    ] {
        // A time of a directory is nobody's concern.
        match expected {
            "" => assert_eq!(all(&wrong).1.len(), 2),
            expected => assert!(refused(&wrong).starts_with(expected), "{}: {expected}", refused(&wrong)),
        }
    }
}

#[test]
fn what_is_in_no_form_is_told_what_it_must_be() {
    let manifest = format!("{}  a\n", digest("sha256", b"abc"));
    for text in [
        "",
        "\n",
        &manifest,
        "{\"Format\":\"Report_CSV_20180820\"}",
        "a,b,c\n1,2,3\n",
        "name,size\na,3\n",
        "Name,Content-Length\nkeep/a,3\n",
        "keep,a,,succeeded,200,\n",
        "PAR1",
    ] {
        let said = refused(text);
        assert!(said.contains("it must be a completion report of S3 Batch Operations"), "{text:?}: {said}");
    }
    assert!(refused("PAR1\x15\x04PAR1").contains("the table cannot be read"));
}

#[test]
fn the_manifest_of_a_job() {
    let text = "{\"Format\":\"Report_CSV_20180820\",\"ReportCreationDate\":\"2026-11-20T17:48:39.725Z\",
        \"Results\":[{\"TaskExecutionStatus\":\"succeeded\",\"Bucket\":\"reports\",\"MD5Checksum\":\"83b1c4cbe93fc893f54053697e10fd6e\",
        \"Key\":\"job-1/results/a.csv\"},{\"TaskExecutionStatus\":\"failed\",\"Bucket\":\"reports\",\"Key\":\"job-1/results/b.csv\"}],
        \"ReportSchema\":\"Bucket, Key, VersionId, TaskStatus, ErrorCode, HTTPStatusCode, ResultMessage\"}";
    let job = Job::parse(text.as_bytes()).expect("a job");
    assert_eq!(job.made, rfc3339::parse("2026-11-20T17:48:39.725Z"));
    let keys: Vec<_> = job.files.iter().map(|file| (&file.key[..], file.md5.is_some())).collect();
    assert_eq!(keys, [("job-1/results/a.csv", true), ("job-1/results/b.csv", false)]);
    for (from, to) in [("Report_CSV", "Report_TSV"), ("\"Results\"", "\"Else\""), ("}", "")] {
        assert!(matches!(Job::parse(text.replacen(from, to, 1).as_bytes()), Err(Error::Unknown)));
    }
    for (from, to) in [("83b1", "83b"), ("17:48", "1748")] {
        assert!(matches!(Job::parse(text.replace(from, to).as_bytes()), Err(Error::Line { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_are_too_odd(prefix in 0_usize..7, bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let md5 = base64("md5", b"abc");
        let begin = [
            String::new(),
            row("a", "MD5", "FULL_OBJECT", &md5),
            "bucket,name,size,md5Hash\nk,".to_owned(),
            "Name,Content-MD5\nk/".to_owned(),
            "[{\"Path\":\"".to_owned(),
            "[".to_owned(),
            "PAR1\x15".to_owned(),
        ];
        let text = [begin[prefix].as_bytes(), &bytes].concat();
        // Only that it ends, and with words.
        if let Err(error) = read(file(&text)) {
            prop_assert!(!error.to_string().is_empty());
        }
        let _ = Job::parse(&text);
    }

    #[test]
    fn a_key_comes_back_as_it_was(key in prop::collection::vec(any::<u8>(), 1..60)) {
        let encoded: String = key.iter().map(|byte| format!("%{byte:02X}")).collect();
        let text = row(&encoded, "MD5", "FULL_OBJECT", &base64("md5", b"abc"));
        prop_assert_eq!(&all(&text).1[0].name, &key);
    }
}
