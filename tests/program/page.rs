//! The page of a run, opened in a browser: its charts are drawn, nothing is asked of a network, nothing complains.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use crate::work::{Dir, have};

/// Colours of the page by their names in its style sheet.
const PAPER: [u8; 3] = [0xfd, 0xfd, 0xfc];
const DARK_PAPER: [u8; 3] = [0x17, 0x19, 0x1c];
const READ: [u8; 3] = [0x00, 0x72, 0xb2];
const DIGEST: [u8; 3] = [0xb8, 0x77, 0x00];
const ALERT: [u8; 3] = [0xd5, 0x5e, 0x00];
const PIPELINE: [u8; 3] = [0x00, 0x9e, 0x73];

/// Opens a page in a window. Returns how many pixels have which colour, and what it asked of a network or complained of.
fn look(dir: &Dir, page: &str, size: &str, more: &[&str]) -> (HashMap<[u8; 3], usize>, Vec<String>) {
    let path = |name: &str| dir.path(name).to_str().expect("UTF-8").to_owned();
    let options = [
        "--headless".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-background-networking".to_owned(),
        "--disable-component-update".to_owned(),
        "--disable-sync".to_owned(),
        "--no-first-run".to_owned(),
        "--hide-scrollbars".to_owned(),
        "--force-color-profile=srgb".to_owned(),
        "--enable-logging=stderr".to_owned(),
        "--host-resolver-rules=MAP * ~NOTFOUND".to_owned(),
        format!("--user-data-dir={}", path("profile")),
        format!("--log-net-log={}", path("net.json")),
        format!("--screenshot={}", path("page.png")),
        format!("--window-size={size}"),
        format!("file://{}", path(page)),
    ];
    let ran = dir.command("chromium", options).args(more).run().code(0);
    let complaints = ran.stderr.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned);
    // Requests of the browser itself, for updates and the like, have no origin; those of a page have one.
    let net = String::from_utf8_lossy(&dir.read("net.json")).into_owned();
    let of_page =
        |line: &&str| line.contains("\"initiator\":") && !line.contains("\"initiator\":\"not an origin\"");
    let all = complaints.chain(net.lines().filter(of_page).map(str::to_owned)).collect();
    (colours(&path("page.png")), all)
}

fn colours(path: &str) -> HashMap<[u8; 3], usize> {
    let decoder = png::Decoder::new(BufReader::new(File::open(path).expect("a screenshot")));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    let samples = info.color_type.samples();
    let mut colours = HashMap::new();
    for pixel in pixels[..info.buffer_size()].chunks_exact(samples) {
        *colours.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
    }
    colours
}

#[test]
fn the_page_shows_its_charts_in_light_and_dark_on_screens_of_any_width() {
    if !have("chromium") {
        return;
    }
    let dir = crate::bench::measured();
    for size in ["1000,3000", "390,5000"] {
        let (seen, said) = look(&dir, "run.html", size, &[]);
        assert_eq!(said, [""; 0]);
        let area = |colour| seen.get(&colour).copied().unwrap_or(0);
        assert!(area(PAPER) > 100_000, "{size}: {}", area(PAPER));
        for (name, colour) in [("read", READ), ("digest", DIGEST), ("pipeline", PIPELINE)] {
            assert!(area(colour) > 1_000, "{size}: {name}: {}", area(colour));
        }
    }
    let (seen, said) = look(&dir, "run.html", "1000,3000", &["--blink-settings=preferredColorScheme=0"]);
    assert_eq!(said, [""; 0]);
    assert!(seen.get(&DARK_PAPER).copied().unwrap_or(0) > 100_000);
    assert_eq!(seen.get(&PAPER), None);
}

#[test]
fn the_page_of_collections_is_light_dark_and_no_wider_than_its_window() {
    if !have("chromium") {
        return;
    }
    let dir = crate::collection_report::told();
    dir.keeper(["collection", "report", "--format", "html", "-o", "report.html"]).run().code(0);
    // A window is never as narrow as a phone; a frame is.
    dir.write("phone.html", "<title>x</title><body style='margin:0;background:#f0f'><iframe src=report.html style='width:320px;height:3000px;border:0'>");
    for (page, size) in [("report.html", "1000,3000"), ("phone.html", "500,3000")] {
        let (seen, said) = look(&dir, page, size, &[]);
        assert!(!said.iter().any(|said| said.contains("CONSOLE")), "{said:?}");
        let area = |colour| seen.get(&colour).copied().unwrap_or(0);
        assert!(area(PAPER) > 500_000 && area(ALERT) > 100, "{page}: {} {}", area(PAPER), area(ALERT));
    }
    let (seen, said) = look(&dir, "report.html", "1000,3000", &["--blink-settings=preferredColorScheme=0"]);
    assert_eq!(said, [""; 0]);
    assert!(seen.get(&DARK_PAPER).copied().unwrap_or(0) > 500_000);
    assert_eq!(seen.get(&PAPER), None);
}

#[test]
fn a_page_that_asks_or_complains_would_be_noticed() {
    if !have("chromium") {
        return;
    }
    let dir = Dir::new();
    dir.write("asks.html", "<title>x</title><img src='http://example.invalid/x.png'>");
    assert!(
        look(&dir, "asks.html", "400,400", &[]).1.iter().any(|said| said.contains("example.invalid/x.png"))
    );
    dir.write("complains.html", "<title>x</title><script>console.error('it is broken')</script>");
    assert!(look(&dir, "complains.html", "400,400", &[]).1.iter().any(|said| said.contains("it is broken")));
}
