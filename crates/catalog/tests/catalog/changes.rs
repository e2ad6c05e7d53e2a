//! The log of changes, and that what is found is reported.

use hashlane_catalog::{Acting, Change, Policy, Way};
use serde_json::{Value, json};

use crate::support::{NOW, made};

/// What was done, with what was there before and is since.
fn told(changes: &[Change]) -> Vec<(&str, &str, Value, Value)> {
    let told = |change: &Change| (Value::Object(change.was.clone()), Value::Object(change.becomes.clone()));
    changes
        .iter()
        .map(|change| {
            let (was, becomes) = told(change);
            (&change.what[..], &change.collection[..], was, becomes)
        })
        .collect()
}

#[test]
fn who_changes_a_term_leaves_a_trace_that_no_purge_removes() {
    let mut made = made();
    let acting = |reason: &str, at_s| Acting {
        actor: "keeper".into(),
        uid: Some(1000),
        way: Way::Command,
        reason: reason.into(),
        at_s: Some(at_s),
    };
    made.catalog.act_as(acting("", NOW));
    let id =
        made.catalog.add_collection(&hashlane_catalog::Terms::new("photos", "/srv"), NOW).expect("added");
    let mut terms = made.catalog.collection("photos").expect("there").terms;
    terms.policy = Policy::Living;
    terms.selection.exclude = vec!["*.tmp".into()];
    made.catalog.act_as(acting("too many edits", NOW + 1));
    made.catalog.set_collection(id, &terms).expect("set");
    // Nothing differs.
    made.catalog.set_collection(id, &terms).expect("set");
    terms.name = "pictures".into();
    made.catalog.set_collection(id, &terms).expect("renamed");
    terms.root = "/mnt".into();
    made.catalog.set_collection(id, &terms).expect("relocated");
    made.catalog.set_marker(id, Some("it is me")).expect("set");
    let pictures = made.catalog.collection("pictures").expect("there");
    made.catalog.remove_collection(&pictures, NOW + 2).expect("removed");
    made.catalog.restore_collection(&pictures).expect("restored");

    let changes = made.catalog.changes(Some("pictures"), None).expect("readable");
    let set = (json!({"policy": "growing"}), json!({"policy": "living", "exclude": ["*.tmp"]}));
    let nothing = || json!({});
    assert_eq!(
        told(&changes)[1..],
        [
            ("set", "photos", set.0, set.1),
            ("renamed", "photos", json!({"name": "photos"}), json!({"name": "pictures"})),
            ("relocated", "pictures", json!({"root": "/srv"}), json!({"root": "/mnt"})),
            ("set", "pictures", nothing(), json!({"marker": "it is me"})),
            ("removed", "pictures", nothing(), nothing()),
            ("restored", "pictures", nothing(), nothing()),
        ]
    );
    assert_eq!((&changes[0].what[..], &changes[0].becomes["root"]), ("added", &json!("/srv")));
    assert!(changes.windows(2).all(|two| two[0].number < two[1].number));
    let Change { actor, uid, way, reason, at_s, .. } = &changes[1];
    assert_eq!(
        (&actor[..], *uid, *way, &reason[..], *at_s),
        ("keeper", Some(1000), Way::Command, "too many edits", NOW + 1)
    );
    assert_eq!(made.catalog.changes(None, Some(NOW + 1)).expect("readable").len(), changes.len() - 1);

    made.catalog.purge_collection(&pictures, NOW + 3).expect("purged");
    let after = made.catalog.changes(None, None).expect("readable");
    assert_eq!(after[..changes.len()], changes);
    let purged = told(&after[changes.len()..]);
    assert_eq!(purged, [("purged", "pictures", json!({"root": "/mnt", "files": 0, "bytes": 0}), nothing())]);
    // A number is given out once.
    made.catalog.add_collection(&hashlane_catalog::Terms::new("photos", "/srv"), NOW).expect("added");
    let last = made.catalog.changes(Some("photos"), None).expect("readable").pop().expect("it was added");
    assert!(last.number > after[after.len() - 1].number);
}
