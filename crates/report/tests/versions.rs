//! Catalogues of all versions are shown alike, before and after they are brought up to date.

use hashlane_catalog::{LATEST, Reader, Writer};
use hashlane_keeper::{MOST_LATE, NightEnd, Outlook, Overview, Watched};
use hashlane_report::collection::{status_json, status_text};

fn rows(catalog: &Reader, now_s: i64) -> Vec<Watched> {
    let row = |collection| {
        let overview = Overview::of(catalog, collection, now_s, MOST_LATE).expect("readable");
        let outlook = Outlook::of(catalog, &overview.collection, overview.forecast, || None, None, now_s);
        Watched { outlook: outlook.expect("readable"), overview }
    };
    catalog.collections().expect("readable").into_iter().map(row).collect()
}

#[test]
fn a_collection_is_judged_the_same_before_and_after_its_catalogue_is_brought_up_to_date() {
    for version in 1..=LATEST {
        let file = format!("../../tests/fixtures/catalogues/version-{version}.sqlite");
        let directory = tempfile::tempdir().expect("a directory");
        let copy = directory.path().join("catalog.sqlite");
        std::fs::copy(file, &copy).expect("each version has a fixture");
        // From the end of the story on, until every promise of it is broken.
        let days = [0, 1, 6, 8, 29, 31, 400];
        let told = |catalog: &Reader| {
            let runs = catalog.collections().expect("readable").into_iter();
            let runs = runs.flat_map(|of| catalog.last_runs(of.id, 1).expect("readable"));
            let last_s = runs.map(|run| run.started_s).max().expect("something has run");
            days.map(|day| {
                let now_s = last_s + day * 86_400 + 60;
                let rows = rows(catalog, now_s);
                let classes = NightEnd::of(rows.iter().map(|row| &row.overview)).classes();
                let text = status_text(&rows, now_s, &|action| format!("{action:?}"));
                (classes, text, status_json(&rows).to_string())
            })
        };
        let before = told(&Reader::open(&copy).expect("it can be read"));
        let after = told(&Writer::open(&copy).expect("brought up to date"));
        assert_eq!(before, after, "version {version}");
        // The story leaves something of each kind, so there is something to say from its first day on; the text tells the days apart.
        assert!(before.iter().all(|(classes, ..)| !classes.is_empty()), "version {version}");
        assert_ne!(before[0].1, before[6].1, "version {version}");
    }
}
