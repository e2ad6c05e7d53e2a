//! `hashlane check` of lists with lines that nobody can read: what lists a file is never passed over, and sentences are.

use hashlane_digest::Algorithm;

use crate::work::{Dir, gnu};

const A: &str = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
const B: &str = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";

/// Two intact files, `a` and `b`, and a list.
fn with(name: &str, list: impl AsRef<[u8]>) -> Dir {
    let dir = Dir::new();
    dir.write("a", "a").write("b", "b").write(name, list);
    dir
}

/// The exit code of a check of a list, and what it says besides verdicts.
fn code(name: &str, list: impl AsRef<[u8]>) -> (i32, String) {
    let list = list.as_ref();
    let ran = with(name, list).hashlane(["check", name]).run();
    (ran.status.code().expect("not killed"), ran.stderr)
}

#[test]
fn a_line_that_may_be_an_entry_does_not_pass() {
    let good = format!("{A}  a\n");
    let (encoded, short) = ("zc", &B[..40]);
    for line in [
        // A digit that is none, a digit less, no separator.
        format!("{}!  b", &B[..63]),
        format!("{}  b", &B[..63]),
        format!("{B}b"),
        // Algorithms that nobody knows, in the columns of rhash.
        "ED2K  (b) = 31d6cfe0d16ae931b73c59d7e0c089c0".to_owned(),
        "TTH     (b) = LWPNACQDBZRYXW3VHJVCJ64QBZNGHOHHHZWCLNQ".to_owned(),
        "BTIH  (b) = 7c1ad4ae2a5a2aa20fd2ab8b0e2fe4ba10b4a4b7".to_owned(),
        format!("SHA9 (b) = {B}"),
        format!("sha9:{B}  b"),
        // Between entries, with the name of a file that is there.
        format!("{encoded}  b\n{A}  a"),
        format!("#{}  b", &B[..63]),
        format!("{short}  b"),
    ] {
        let (code, said) = code("SHA256SUMS", format!("{good}{line}\n"));
        assert_eq!(code, 16, "{line}: {said}");
        assert!(said.contains("1 listed file without a digest that can be verified"), "{line}: {said}");
    }
}

#[test]
fn sentences_signatures_and_comments_list_nothing() {
    let armour = "iQIzBAEBCAAdFiEE0123456789abcdefABCDEFghijklmnopqrstuvwxyz012345\n".repeat(8);
    let (good, base64) = (format!("{A}  a\n{B}  b\n"), "RW".repeat(50));
    for list in [
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{good}-----BEGIN PGP SIGNATURE-----\n\n{armour}=njUN\n-----END PGP SIGNATURE-----\n"
        ),
        format!("untrusted comment: verify with a.pub\n{base64}\n{good}"),
        format!("# of commit da39a3ee5e6b4b0d3255bfef95601890afd80709\n{good}"),
        format!("Made on 20261121 by Ada\nSee https://example.org/some/long/path/to/a/file for more\n{good}"),
        format!("Signed with 0123456789ABCDEF.\n\n{good}\nThe end.\n"),
    ] {
        let (code, said) = code("SHA256SUMS", &list);
        assert_eq!(code, 0, "{list}\n{said}");
    }
}

#[test]
fn entries_behind_the_mark_of_a_comment_are_counted() {
    for (name, list) in [
        ("SHA256SUMS", format!("{A}  a\n#{B}  b\n")),
        ("SHA256SUMS", format!("# {B}  b\n{A}  a\n")),
        ("list.sfv", "; b 71BEEFF9\na E8B7BE43\n".to_owned()),
        ("list.sfv", ";b 71BEEFF9\na E8B7BE43\n".to_owned()),
    ] {
        let (code, said) = code(name, &list);
        assert_eq!(code, 0, "{list}\n{said}");
        assert!(said.contains(&format!("{name}: 1 entry commented out, not verified")), "{said}");
    }
}

#[test]
fn a_file_counts_once_and_not_at_all_where_another_line_verifies_it() {
    let unknown = |name: &str| {
        format!("ED2K  ({name}) = 31d6cfe0d16ae931b73c59d7e0c089c0\nTTH   ({name}) = ABCDEFGH\n")
    };
    let list = format!("{}SHA256 (a) = {A}\n{}", unknown("a"), unknown("b"));
    let (code_of_both, said) = code("list", &list);
    assert_eq!(code_of_both, 16, "{said}");
    assert!(said.contains("1 listed file without a digest that can be verified"), "{said}");
    let sections = format!("SHA256 (a) = {A}\nSHA256 (b) = {B}\n\n{}{}", unknown("a"), unknown("b"));
    assert_eq!(code("list", sections).0, 0);
}

#[test]
fn each_spelling_of_a_digest_with_its_algorithm_is_read() {
    let (sri, ni) =
        ("ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=", "ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs");
    let sha512 = "H0D8kktJ7nsVnwoCqKfK5BQTBDR6HxX7zEOPrmf3b2vM9rWW5M1pGiuhrt6iYfGKDLrGZOTZqMTa7KbZ3j3Aqg==";
    for line in [
        format!("sha256:{A}  a"),
        format!("SHA256   (a) = {A}"),
        format!("sha256-{sri}  a"),
        format!("sha256-{sri}?crossorigin  a"),
        format!("ni:///sha-256;{ni}  a"),
        format!("NI:///sha-256;{ni}  a"),
        format!("ni://example.org/sha-256;{ni}?ct=text/plain  a"),
    ] {
        let dir = with("list", format!("{line}\n"));
        dir.hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
    }
    // All of several are compared: one is that of another content.
    let (code, said) = code("list", format!("sha256-{sri} sha512-{sha512}  a\n"));
    assert_eq!(code, 4, "{said}");
}

#[test]
fn byte_order_marks_and_line_ends_of_windows_may_stand_in_the_midst() {
    let marked = format!("{A}  a\n\u{feff}{B}  b\n");
    with("SHA256SUMS", marked).hashlane(["check", "SHA256SUMS"]).run().code(0).printed("a: OK\nb: OK\n");
    for list in [format!("{A}  a\r\n{B}  b\n"), format!("{A}  a\n{B}  b\r\r\n")] {
        let ran = with("SHA256SUMS", list)
            .hashlane(["check", "SHA256SUMS"])
            .run()
            .code(0)
            .printed("a: OK\nb: OK\n");
        ran.said(&[
            "SHA256SUMS: 1 name without the carriage return at the end of the line",
            "2 OK by sha256; 2 files, 2 B (2 B)",
        ]);
    }
    // A file may have such a name, and then it is the one that is meant.
    let dir = with("SHA256SUMS", format!("{B}  b\n{A}  a\r\n"));
    dir.write("a\r", "a").write("a", "another");
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0);
}

#[test]
fn escapes_of_rhash_in_sfv_are_read() {
    let dir = Dir::new();
    dir.write("a\nb", "a").write("list.sfv", "\\a\\nb E8B7BE43\n");
    dir.hashlane(["check", "list.sfv"]).run().code(0);
}

#[test]
fn a_list_of_one_digest_is_about_the_file_that_it_is_named_after() {
    let dir = Dir::new();
    dir.write("t/tool.tar.gz", "a");
    for list in
        [A.to_owned(), format!("{A}\n"), format!("{A}  -\n"), format!("{A} -\n"), format!("sha256:{A}\n")]
    {
        dir.write("t/tool.tar.gz.sha256", &list);
        dir.hashlane(["check", "t/tool.tar.gz.sha256"]).run().code(0).printed("t/tool.tar.gz: OK\n");
        dir.hashlane(["check", "--base", "t", "t/tool.tar.gz.sha256"])
            .run()
            .code(0)
            .printed("tool.tar.gz: OK\n");
        dir.hashlane(["check", "--audit", "--base", "t", "t/tool.tar.gz.sha256"]).run().code(0);
    }
    dir.write("t/tool.tar.gz.sha256", format!("{B}\n"));
    dir.hashlane(["check", "t/tool.tar.gz.sha256"]).run().code(4).printed("t/tool.tar.gz: FAILED\n");
    // Several do not say which file they are of.
    dir.write("t/tool.tar.gz.sha256", format!("{A}\n{B}\n"));
    dir.hashlane(["check", "t/tool.tar.gz.sha256"]).run().code(64);
}

#[test]
fn lists_with_other_things_between_name_and_digest_are_read() {
    const MD5: &str = "0cc175b9c0f1b6a831c399e269772661";
    for list in [
        format!("{A} a\n"),
        format!("{A}\ta\n"),
        format!("{A}:a\n"),
        format!("a {A}\n"),
        format!("a\t{A}\n"),
        format!("a,{A}\n"),
        format!("{A} 1 a\n"),
        format!("{A} *a\t\t1\n"),
        format!("filename,md5\na,{MD5}\n"),
        format!("path,sha256,size\na,{A},1\n"),
    ] {
        let ran = with("list", &list).hashlane(["check", "-a", "sha256", "list"]).run();
        let ran =
            if list.contains(MD5) { with("list", &list).hashlane(["check", "list"]).run() } else { ran };
        assert!(ran.status.success() && ran.stdout == b"a: OK\n", "{list}: {}", ran.stderr);
    }
    // A file of the very name goes first, and a size that is another one fails.
    let dir = with("list", format!("{A} 1 a\n"));
    dir.write("1 a", "a").write("a", "another");
    dir.hashlane(["check", "-a", "sha256", "list"]).run().code(0).printed("1 a: OK\n");
    with("list", format!("{A} 2 a\n")).hashlane(["check", "-a", "sha256", "list"]).run().code(4);
}

#[test]
fn names_without_a_prefix_and_in_another_case_are_found() {
    let dir = Dir::new();
    dir.write("Photo.JPG", "a")
        .write("b", "b")
        .write("SHA256SUMS", format!("{A}  old/photo.jpg\n{B}  old/b\n"));
    let check = |more: &[&str]| dir.hashlane(["check", "SHA256SUMS"]).args(more).run();
    check(&[]).code(2);
    check(&["--strip-prefix", "old"]).code(2).printed("photo.jpg: FAILED open or read\nb: OK\n");
    check(&["--strip-prefix", "old", "--ignore-case"]).code(0).printed("Photo.JPG: OK\nb: OK\n");
    dir.write("list", format!("{A}  photo.jpg\n{B}  B\n"));
    for arguments in [&[][..], &["--complete", "--root", "."], &["-a", "sha256"]] {
        let ran =
            dir.hashlane(["check", "--ignore-case", "--exclude", "SHA256SUMS", "list"]).args(arguments).run();
        ran.code(0).printed("Photo.JPG: OK\nb: OK\n");
    }
    // Two that are alike are neither.
    dir.write("PHOTO.jpg", "a");
    dir.hashlane(["check", "--ignore-case", "list"]).run().code(2);
}

#[test]
fn digests_of_every_length_are_proven_and_not_assumed() {
    let of = |algorithm: &str, content: &str| {
        Algorithm::named(algorithm).expect("registered").digest(content.as_bytes()).to_string()
    };
    for algorithm in ["sha3-224", "sha224", "sha512-224", "sha3-384", "sha384", "ripemd160"] {
        let list = format!("{}  a\n{}  b\n", of(algorithm, "a"), of(algorithm, "b"));
        let ran = with("list", list).hashlane(["check", "list"]).run().code(0).printed("a: OK\nb: OK\n");
        assert!(
            ran.stderr.contains(&format!("list: the digests are {algorithm}, proven by ")),
            "{}",
            ran.stderr
        );
    }
    // That it is SHA-1 is not news.
    let list = format!("{}  a\n", of("sha1", "a"));
    with("list", list).hashlane(["check", "list"]).run().code(0).said(&["1 OK by sha1; 1 file, 1 B (1 B)"]);
    // What nothing fits is not verified, and is not a mismatch.
    let other = of("sha3-224", "another");
    let (code, said) = code("list", format!("{other}  a\n"));
    assert_eq!(code, 16, "{said}");
    assert!(
        said.contains("a digest of 28 bytes can be sha224, sha512-224, sha3-224 or blake2b-224"),
        "{said}"
    );
    with("f.sha3-384", format!("{}  a\n", of("sha3-384", "a")))
        .hashlane(["check", "f.sha3-384"])
        .run()
        .code(0);
}

#[test]
fn blake2b_of_each_length_is_verified_where_its_length_proves_it_or_somebody_names_it() {
    for bytes in [1, 3, 4, 8, 9, 16, 24, 33, 40, 48, 63, 64] {
        let algorithm = Algorithm::blake2b(bytes).expect("of each length");
        let digest = algorithm.digest(b"a");
        let bits = 8 * bytes;
        // What `b2sum --tag -l` writes; its tag for the full length has no number.
        let tag = if bytes == 64 { "BLAKE2b".to_owned() } else { format!("BLAKE2b-{bits}") };
        let is_verified = |list: &str, text: String, options: &[&str]| {
            let dir = with(list, text);
            dir.hashlane(["check"]).args(options).arg(list).run().code(0).printed("a: OK\n");
        };
        is_verified("list", format!("{tag} (a) = {digest}\n"), &[]);
        // What `b2sum -l` writes.
        let untagged = format!("{digest}  a\n");
        let named = format!("blake2b-{bits}");
        is_verified("list", untagged.clone(), &["-a", &named, "--manifest-format", "gnu"]);
        if bytes < 4 {
            continue;
        }
        is_verified("list.b2", untagged.clone(), &[]);
        is_verified("a.b2", format!("{digest}\n"), &[]);
        if [16, 20, 24, 28, 32, 48, 64].contains(&bytes) {
            is_verified("list", untagged, &[]);
        } else if ![4, 8].contains(&bytes) {
            let (unknown, said) = code("list", untagged);
            assert_eq!(unknown, 64, "{said}");
            assert!(said.ends_with(&format!("if that made them, use --algorithm {named}\n")), "{said}");
        }
    }
    // Of 24 bytes are those of Tiger, too, and others that fit neither.
    let tiger = Algorithm::named("tiger").expect("registered").digest(b"a");
    with("list", format!("{tiger}  a\n")).hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
    let (none_fits, said) = code("list", format!("{}  a\n", "5".repeat(48)));
    assert_eq!(none_fits, 16, "{said}");
    // One digest that was cut off makes no list of another kind.
    let long = Algorithm::blake2b(64).expect("of each length");
    let cut = &long.digest(b"a").to_string()[..126];
    let (code, said) = code("list.b2", format!("{cut}  a\n{}  b\n", long.digest(b"b")));
    assert_eq!(code, 16, "{said}");
    assert!(said.contains("1 OK by blake2b;"), "{said}");
    // Where there are no files to prove it, the name says what it is.
    for bytes in [16, 20, 24, 28, 32, 40, 48] {
        let algorithm = Algorithm::blake2b(bytes).expect("of each length");
        let dir = with("B2SUMS", format!("{}  a\n", algorithm.digest(b"a")));
        let tagged = format!("{} (a) = {}\n", algorithm.bsd_tag(), algorithm.digest(b"a"));
        dir.hashlane(["convert", "-q", "--tag", "B2SUMS"]).run().code(0).printed(tagged);
    }
    // Another algorithm in a list that is named after this one is proven as everywhere.
    let sha256 = Algorithm::SHA256.digest(b"a");
    with("list.b2", format!("{sha256}  a\n")).hashlane(["check", "list.b2"]).run().code(0).printed("a: OK\n");
}

#[test]
fn digests_of_lengths_that_are_hardly_used_go_through_lists_audits_and_comparisons() {
    let dir = Dir::new();
    dir.write("t/a", "a").write("t/b", "b");
    let sum = |format: &str, algorithms: &str, list: &str| {
        dir.hashlane(["sum", "-q", "-a", algorithms, "--manifest-format", format, "-o", list, "t"])
            .run()
            .code(0);
    };
    let audit = ["check", "--audit", "--root", "t"];
    for format in ["bsd", "jsonl", "csv", "dfxml", "parquet", "multihash"] {
        let list = format!("list.{format}");
        sum(format, "blake2b-72", &list);
        dir.hashlane(["check", &list]).run().code(0).printed("t/a: OK\nt/b: OK\n");
        dir.hashlane(audit).args(["--memory", "1MiB", &list]).run().code(0);
    }
    // More of them than an audit on disk has numbers for.
    let all: Vec<_> =
        (40..=60).filter(|bytes| *bytes != 48).map(|bytes| format!("blake2b-{}", 8 * bytes)).collect();
    sum("jsonl", &all.join(","), "all");
    dir.hashlane(["check", "all"]).run().code(0).printed("t/a: OK\nt/b: OK\n");
    dir.hashlane(["diff", "all", "all"]).run().code(0);
    dir.hashlane(audit).arg("all").run().code(0);
    dir.hashlane(audit).args(["--memory", "1MiB", "all"]).run().code(0);
    dir.corrupt("t/b", "d");
    dir.hashlane(audit).arg("all").run().code(8);
    dir.hashlane(["diff", "list.jsonl", "t"]).run().code(8);
}

#[test]
fn a_name_of_an_algorithm_that_is_not_known_ends_a_guess() {
    let (code, said) = code("a.has160", "93929b98052056e24f008ad89b8bfb67c2f6af8c  a\n");
    assert_eq!(code, 16, "{said}");
    assert!(said.contains("a.has160: the manifest is named after has160, which is not known here"), "{said}");
}

#[test]
fn where_there_are_no_files_the_usual_algorithm_is_taken_and_said() {
    let digest = Algorithm::named("sha224").expect("registered").digest(b"a");
    let dir = with("list", format!("{digest}  a\n"));
    dir.hashlane(["convert", "list", "-", "--tag"])
        .run()
        .code(0)
        .printed(format!("SHA224 (a) = {digest}\n"))
        .said_among_others(&[
            "list: digests of 28 bytes are taken for sha224; --algorithm names another algorithm",
        ]);
    dir.hashlane(["diff", "list", "list"]).run().code(0).said_among_others(&[
        "list: digests of 28 bytes are taken for sha224; --algorithm names another algorithm",
    ]);
}

#[test]
fn a_file_of_another_kind_is_called_what_it_is() {
    for (text, kind) in [
        ("Package: foo\nFilename: a\nSHA256: 00\n", "a Debian Packages file; apt reads it"),
        (
            "{\"digestAlgorithm\":\"sha512\",\"manifest\":{}}",
            "an OCFL inventory; a validator of OCFL reads it",
        ),
    ] {
        let (code, said) = code("list", text);
        assert_eq!(code, 64, "{said}");
        assert!(said.contains(&format!("hashlane: list: {kind}; it is not read as a manifest\n")), "{said}");
    }
}

#[test]
fn what_is_left_of_a_list_is_named_after_what_it_would_have_become() {
    let (code, said) = code("SHA256SUMS.partial", format!("{A}  a\n"));
    assert_eq!((code, said.contains("proven")), (0, false), "{said}");
}

#[test]
fn every_command_says_how_many_entries_are_commented_out() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2");
    dir.write("LIST.sha256", format!("{}#{}", gnu(&[("t/a", "1")]), gnu(&[("t/b", "2")])));
    dir.write("NEW.sha256", gnu(&[("t/a", "1")]));
    dir.keeper(["collection", "add", "t", "t"]).run().code(0);
    for (words, not) in [
        (&["check", "LIST.sha256"][..], "verified"),
        (&["check", "--audit", "--root", "t", "LIST.sha256"], "verified"),
        (&["convert", "LIST.sha256", "-"], "converted"),
        (&["convert", "--add", "md5", "--tag", "LIST.sha256", "-"], "converted"),
        (&["diff", "LIST.sha256", "NEW.sha256"], "compared"),
        (&["diff", "t", "LIST.sha256"], "compared"),
        (&["known", "build", "-o", "set", "LIST.sha256"], "taken in"),
        (&["sum", "--known", "LIST.sha256", "t"], "taken in"),
        (&["sum", "--update", "LIST.sha256", "--trust", "names", "-o", "new.sha256", "t"], "kept"),
        (&["collection", "import", "t", "--strip-prefix", "t/", "LIST.sha256"], "imported"),
    ] {
        let ran = dir.keeper(words).run();
        let said = format!("LIST.sha256: 1 entry commented out, not {not}");
        assert_eq!(
            ran.messages().iter().filter(|line| **line == said).count(),
            1,
            "{words:?}: {}",
            ran.stderr
        );
    }
}
