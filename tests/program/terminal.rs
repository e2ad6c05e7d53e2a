//! What a terminal is shown.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::work::{Dir, bytes, digest, gnu};

/// A terminal and the side of it where a user sits.
struct Terminal {
    user: File,
    side: OwnedFd,
}

impl Terminal {
    fn new() -> Self {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap();
        let side =
            rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        Self { user: user.into(), side }
    }

    fn side(&self) -> Stdio {
        self.side.try_clone().unwrap().into()
    }

    /// Waits until a text is shown; returns all up to there.
    #[track_caller]
    fn wait_for(&mut self, text: &str) -> String {
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&shown).contains(text) {
            let count = self.user.read(&mut buffer).unwrap();
            shown.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8(shown).unwrap()
    }

    /// All that is shown until the programs have let go of it.
    fn rest(self) -> String {
        let Self { mut user, side } = self;
        drop(side);
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        // The last to let go makes it fail with EIO.
        while let Ok(count) = user.read(&mut buffer) {
            if count == 0 {
                break;
            }
            shown.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8(shown).unwrap().replace("\r\n", "\n")
    }
}

#[test]
fn a_table_is_not_shown_on_a_terminal() {
    let dir = Dir::new();
    dir.write("a", "1");
    let terminal = Terminal::new();
    let line = ["sum", "--manifest-format", "parquet", "a"];
    let ran = dir.hashlane(line).stdout(terminal.side()).run().code(64);
    ran.said(&["a parquet manifest is binary and cannot be shown on a terminal; write it to a file"]);
    assert_eq!(terminal.rest(), "");
}

/// What a terminal of `columns` columns shows after some output: its lines, those that were too long for it put together again.
fn screen(output: &str, columns: usize) -> Vec<String> {
    let mut rows: Vec<(Vec<char>, bool)> = vec![(Vec::new(), false)];
    let (mut row, mut column) = (0, 0);
    let mut rest = output.chars();
    while let Some(shown) = rest.next() {
        match shown {
            '\r' => column = 0,
            '\n' => {
                (row, column) = (row + 1, 0);
                if row == rows.len() {
                    rows.push((Vec::new(), false));
                }
            }
            '\x1b' => {
                assert_eq!(rest.next(), Some('['), "{output:?}");
                let mut count = String::new();
                let kind = loop {
                    match rest.next().unwrap() {
                        digit if digit.is_ascii_digit() => count.push(digit),
                        kind => break kind,
                    }
                };
                let count: usize = count.parse().unwrap_or(1);
                match kind {
                    'A' => row -= count,
                    'B' => row += count,
                    'K' => rows[row].0.clear(),
                    other => panic!("{other} in {output:?}"),
                }
            }
            shown => {
                if column == columns {
                    rows[row].1 = true;
                    (row, column) = (row + 1, 0);
                    if row == rows.len() {
                        rows.push((Vec::new(), false));
                    }
                }
                let cells = &mut rows[row].0;
                if cells.len() <= column {
                    cells.resize(column + 1, ' ');
                }
                cells[column] = shown;
                column += 1;
            }
        }
    }
    let mut lines = vec![String::new()];
    for (cells, goes_on) in rows {
        lines.last_mut().unwrap().extend(cells);
        if !goes_on {
            lines.push(String::new());
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// A terminal of `columns` columns.
fn of_columns(columns: u16) -> Terminal {
    use rustix::termios::{Winsize, tcsetwinsize};
    let terminal = Terminal::new();
    tcsetwinsize(&terminal.side, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
        .unwrap();
    terminal
}

/// Files that take a quarter of a second at this rate, and lists of them.
const SLOWLY: &str = "--max-rate=8MB";

fn slow_files() -> Dir {
    let dir = Dir::new();
    for number in 0..40 {
        // Longer than some terminals are wide.
        let name = format!("bag/data/{}{number:02}", "a rather long name ".repeat(5));
        dir.write(name, vec![number; 50_000]);
    }
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "bag/data"]).run().code(0);
    dir.hashlane(["sum", "-q", "-a", "md5", "-o", "MD5SUMS", "bag/data"]).run().code(0);
    let listed = String::from_utf8(dir.read("SHA256SUMS")).unwrap().replace("  bag/", "  ");
    dir.write("bag/manifest-sha256.txt", listed);
    dir.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir
}

#[test]
fn no_bar_stands_in_a_line_of_results_on_the_same_terminal() {
    let dir = slow_files();
    let commands: [&[&str]; 7] = [
        &["sum", SLOWLY, "bag/data"],
        &["sum", SLOWLY, "--manifest-format=dfxml", "-o", "/dev/stdout", "bag/data"],
        &["check", SLOWLY, "SHA256SUMS"],
        &["check", SLOWLY, "--audit", "-v", "--root=bag/data", "SHA256SUMS"],
        &["bag", "validate", SLOWLY, "bag"],
        &["convert", SLOWLY, "--add=sha256", "MD5SUMS", "-"],
        &["diff", SLOWLY, "MD5SUMS", "bag"],
    ];
    for words in commands {
        // A date, a directory and times differ.
        let lines = |text: String| {
            let lines = text.lines().filter(|line| !line.starts_with("hashlane:") && !line.contains("_time"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let expected = lines(String::from_utf8(dir.hashlane(words).run().stdout).unwrap());
        for columns in [80, 200] {
            let terminal = of_columns(columns);
            let running = dir.hashlane(words).stdout(terminal.side()).stderr(terminal.side()).start();
            let shown = terminal.rest();
            running.wait();
            let found = lines(screen(&shown, columns.into()).join("\n"));
            assert_eq!(found, expected, "{words:?} at {columns} columns: {shown:?}");
        }
    }
}

#[test]
fn records_without_a_line_end_are_not_wiped_by_the_bar() {
    let dir = Dir::new();
    let fifo = dir.fifo("slow");
    dir.write("a", "1");
    let mut terminal = of_columns(200);
    let running =
        dir.hashlane(["sum", "-z", "a", "slow"]).stdout(terminal.side()).stderr(terminal.side()).start();
    let shown = terminal.wait_for("  a\\x00");
    let writer = File::options().write(true).open(fifo).unwrap();
    drop(writer);
    running.wait().code(0);
    let (shown, rest) = (shown, terminal.rest());
    let line = screen(&(shown + &rest), 200).remove(0);
    assert!(
        line.starts_with(&format!("{}  a\\x00{}  slow\\x00", digest("sha256", "1"), digest("sha256", ""))),
        "{line}"
    );
}

#[test]
fn the_bar_is_as_long_as_there_is_room_and_nothing_of_it_is_cut() {
    let dir = Dir::new();
    dir.write("a", vec![7; 12_000_000]);
    let parts = [" MB", "of 12.0 MB", " %", "/s", " left", "0 files"];
    for (columns, shown_parts) in [(200, 6), (80, 6), (60, 6), (30, 3)] {
        let mut terminal = of_columns(columns);
        let running = dir.hashlane(["sum", "--max-rate=2MB", "a"]).stderr(terminal.side()).start();
        let shown = terminal.wait_for(" MB of 12.0 MB") + &terminal.wait_for("\x1b[2K");
        let bar = shown.rsplit("\x1b[2K").find(|bar| bar.contains(" MB of 12.0 MB")).unwrap();
        for part in &parts[..shown_parts] {
            assert!(bar.contains(part), "{part:?} at {columns} columns: {bar:?}");
        }
        assert_eq!(bar.contains("[="), columns > 60, "{bar:?}");
        // The end, and the bytes of the part of the file that is read, before all of it is.
        let done: f64 =
            bar.split(" MB of").next().unwrap().rsplit([' ', '\r', ']']).next().unwrap().parse().unwrap();
        assert!(done > 0.0 && done < 12.0, "{bar:?}");
        running.signal(rustix::process::Signal::INT);
        drop(terminal);
        running.wait();
    }
}

#[test]
fn audits_that_are_followed_have_a_line_each_that_is_written_over() {
    use rustix::process::Signal;

    let dir = Dir::new();
    let names = ["first", "second"];
    let audits = names.map(|name| {
        dir.write(format!("{name}/large"), vec![7; 20_000_000]);
        dir.keeper(["collection", "add", name, name]).run().code(0);
        dir.keeper(["audit", name, "--max-rate=256KiB"]).interruptible().start()
    });
    // Both have to be under way before anybody looks.
    let runs = || {
        let ran = dir.keeper(["status", "--format=json"]).run().code(0);
        let status: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        status["collections"].as_array().unwrap().iter().all(|of| of["running"]["phase"] == "reading")
    };
    while !runs() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut terminal = of_columns(120);
    let follow = dir.keeper(["status", "--follow"]).stdout(terminal.side()).stderr(terminal.side()).start();
    // Twice: the second time over the first.
    let mut shown = String::new();
    for _ in 0..2 {
        shown += &terminal.wait_for("second: reading ");
    }
    let lines = screen(&shown.replace("\r\n", "\n"), 120);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("first: reading "), "{lines:?}");
    for audit in audits {
        audit.signal(Signal::KILL);
        audit.wait().died_by(Signal::KILL);
    }
    let shown = shown.replace("\r\n", "\n") + &terminal.rest();
    follow.wait().code(0);
    let lines = screen(&shown, 120);
    assert!(lines[0].starts_with("2 collections: "), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(": reading ")), "{lines:?}");
}

#[test]
fn a_terminal_is_shown_escaped_names_and_a_pipe_gets_bytes() {
    let dir = Dir::new();
    dir.write(b"t/\x1b[31mred", "1").write(b"t/\xff", "2").write("t/back\\slash", "3").write("t/größe", "4");
    let terminal = Terminal::new();
    let running = dir.hashlane(["sum", "-q", "t"]).stdout(terminal.side()).start();
    let shown = terminal.rest();
    running.wait().code(0).said(&[]);
    let line = |content: &str, name: &str| format!("{}  t/{name}\n", digest("sha256", content));
    let (red, back, gross) = (line("1", "\\x1b[31mred"), line("3", "back\\\\slash"), line("4", "größe"));
    assert_eq!(shown, format!("{red}\\{back}{gross}{}", line("2", "\\xff")));
    let piped = dir.hashlane(["sum", "-q", "t"]).run().code(0).stdout;
    assert!(piped.windows(8).any(|bytes| bytes == b"\x1b[31mred") && piped.contains(&0xff));
    dir.write("SHA256SUMS", piped);
    let terminal = Terminal::new();
    let running = dir.hashlane(["check", "SHA256SUMS"]).stdout(terminal.side()).start();
    let shown = terminal.rest();
    running.wait().code(0);
    assert_eq!(shown, "t/\\x1b[31mred: OK\n\\t/back\\\\slash: OK\nt/größe: OK\nt/\\xff: OK\n");
}

#[test]
fn the_bar_is_gone_when_nobody_reads_the_results_any_more() {
    let dir = Dir::new();
    let fifo = dir.fifo("slow");
    // More lines than any buffer takes, behind one that waits.
    let names: Vec<_> = (0..1_200).map(|number| format!("t/{number:04}-{}", "x".repeat(60))).collect();
    let lines = names.iter().map(|name| format!("{}  {name}\n", digest("sha256", "1")));
    let list = format!("{}  slow\n{}", digest("sha256", ""), lines.collect::<String>());
    dir.write("SHA256SUMS", list);
    for name in &names {
        dir.write(name, "1");
    }
    for arguments in [&["check", "SHA256SUMS"][..], &["sum", "slow", "t"]] {
        let mut terminal = Terminal::new();
        let (reader, writer) = std::io::pipe().unwrap();
        let run = dir.hashlane(arguments).stderr(terminal.side()).stdout(writer).start();
        let content = File::options().write(true).open(&fifo).unwrap();
        terminal.wait_for("0 files");
        drop((reader, content));
        run.wait().died_by(rustix::process::Signal::PIPE);
        let shown = terminal.rest();
        let last = shown.rsplit("\x1b[2K").next().unwrap();
        assert!(!last.contains("files"), "{arguments:?}: {shown:?}");
    }
}

#[test]
fn progress_is_shown_on_a_terminal_only_and_is_gone_at_the_end() {
    let dir = Dir::new();
    let fifo = dir.fifo("slow");
    let mut terminal = Terminal::new();
    let running = dir.hashlane(["sum", "slow"]).stderr(terminal.side()).start();
    let mut writer = File::options().write(true).open(fifo).unwrap();
    writer.write_all(&[7; 100_000]).unwrap();
    terminal.wait_for("; 0 files");
    drop(writer);
    running.wait().code(0);
    let shown = terminal.rest();
    let last = shown.lines().last().unwrap();
    // The bar is wiped before the last line.
    let (_, wiped) = last.rsplit_once("\r\x1b[2K").unwrap_or_else(|| panic!("{shown:?}"));
    assert!(wiped.starts_with("hashlane: 1 file, 100 kB (97.7 KiB) in "), "{shown:?}");
}

#[test]
fn an_error_in_the_middle_leaves_the_bar_whole() {
    let dir = Dir::new();
    let fifo = dir.fifo("slow");
    let mut terminal = Terminal::new();
    let running = dir.hashlane(["sum", "slow", "nowhere"]).stderr(terminal.side()).start();
    let writer = File::options().write(true).open(fifo).unwrap();
    terminal.wait_for("; 0 files");
    drop(writer);
    running.wait().code(16);
    let shown = terminal.rest();
    assert!(shown.contains("hashlane: nowhere: No such file or directory\n"), "{shown:?}");
}

#[test]
fn the_bar_leaves_room_for_what_the_terminal_shows_of_ctrl_c() {
    use rustix::termios::{Winsize, tcsetwinsize};
    let dir = Dir::new();
    let fifo = dir.fifo("slow");
    // What a terminal does not know, its lines or its columns, is taken as usual; the other counts.
    for (rows, columns, shown_columns) in [(24, 20, 20), (24, 60, 60), (0, 20, 20), (24, 0, 80), (0, 0, 80)] {
        let mut terminal = Terminal::new();
        tcsetwinsize(&terminal.side, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
            .unwrap();
        let running = dir.hashlane(["sum", "slow"]).stderr(terminal.side()).start();
        let writer = File::options().write(true).open(&fifo).unwrap();
        // The second drawing wipes the first, whose padding shows how far it went.
        let shown = terminal.wait_for(" 0 B") + &terminal.wait_for("\x1b[2K");
        let (bar, _) = shown.rsplit_once("\r\x1b[2K").unwrap();
        let (_, bar) = bar.rsplit_once("\x1b[2K").unwrap_or(("", bar));
        assert_eq!(bar.chars().count(), shown_columns - 3, "{rows} x {columns}: {shown:?}");
        drop(writer);
        running.wait().code(0);
    }
}

#[test]
fn who_types_the_input_is_told_so_and_ends_it_once() {
    let dir = Dir::new();
    let mut terminal = Terminal::new();
    let running = dir.hashlane(["sum"]).stdin(terminal.side()).stderr(terminal.side()).start();
    terminal
        .wait_for("hashlane: reading standard input; name a PATH to read files, or press Ctrl-D to end\r\n");
    // A line, and the end of the input at the start of the next one, as Ctrl-D means it.
    terminal.user.write_all(b"abc\n\x04").unwrap();
    running.wait().code(0).printed(gnu(&[("-", "abc\n")]));
    let shown = terminal.rest();
    assert!(!shown.contains("0 files"), "no bar moves between the typed lines: {shown:?}");

    let mut terminal = Terminal::new();
    let running = dir.hashlane(["check"]).stdin(terminal.side()).stderr(terminal.side()).start();
    let hint =
        "hashlane: reading a manifest from standard input; name a MANIFEST, or press Ctrl-D to end\r\n";
    terminal.wait_for(hint);
    terminal.user.write_all(b"\x04").unwrap();
    running.wait().code(16);
    assert!(terminal.rest().contains("nothing to verify: the manifest has no lines"));
}

#[test]
fn progress_as_json_is_one_object_a_line() {
    let dir = Dir::new();
    dir.write("a", "12345");
    let ran = dir.hashlane(["sum", "-q", "--progress", "json", "a"]).run().code(0);
    let last: serde_json::Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(last["schema"], "hashlane-progress");
    assert_eq!(last["digested_bytes"], 5);
    assert_eq!(last["files_done"], 1);
    assert_eq!(last["all_found"], true);
    dir.hashlane(["sum", "-q", "--progress=never", "a"]).run().code(0).said(&[]);
}

#[test]
fn progress_as_json_moves_inside_a_large_file() {
    let dir = Dir::new();
    dir.write("a", vec![7; 40_000_000]);
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "a"]).run().code(0);
    let sum = |options: &[&'static str]| [&["sum", "-q", "a"], options].concat();
    for words in [
        sum(&[]),
        sum(&["-a", "md5,sha256"]),
        sum(&["-a", "blake3"]),
        sum(&["-a", "xxh3"]),
        sum(&["--engine", "mmap", "-a", "blake3"]),
        sum(&["--engine", "direct"]),
        sum(&["--jobs", "1"]),
        vec!["check", "-q", "SHA256SUMS"],
    ] {
        let ran = dir.hashlane(&words).args(["--progress=json", "--max-rate=60MB"]).run().code(0);
        let lines = ran.stderr.lines().filter(|line| line.starts_with('{'));
        let lines: Vec<serde_json::Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        let done: Vec<_> = lines.iter().map(|line| line["digested_bytes"].as_u64().unwrap()).collect();
        assert!(done.is_sorted() && done.last() == Some(&40_000_000), "{words:?}: {done:?}");
        assert!(done.iter().any(|&bytes| bytes > 0 && bytes < 40_000_000), "{words:?}: {done:?}");
        // Between its last byte and its record the file is digested, and not done.
        let is_early = |line: &&serde_json::Value| line["digested_bytes"] != 40_000_000;
        assert!(lines.iter().filter(is_early).all(|line| line["files_done"] == 0), "{lines:?}");
        assert_eq!(lines.last().unwrap()["files_done"], 1);
    }
}

#[test]
fn a_name_that_is_no_utf_8_can_be_given() {
    let dir = Dir::new();
    dir.write(b"\xff", "1");
    let line = [digest("sha256", "1").as_bytes(), b"  \xff\n"].concat();
    dir.hashlane([bytes(b"sum"), bytes(b"-q"), bytes(b"\xff")]).run().code(0).printed(line);
}
