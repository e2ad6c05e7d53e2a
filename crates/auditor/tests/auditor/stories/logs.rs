//! Files that may only be appended to.

use super::*;

fn keeper_of_logs(policy: Policy) -> Keeper {
    let mut keeper = Keeper::new(|terms| {
        terms.policy = policy;
        terms.period_s = Some(30 * DAY);
        terms.selection.append_only = vec!["*.log".into()];
    });
    for number in 1..=5 {
        keeper.write(&format!("{number}.log"), "a line\nanother line\n");
    }
    keeper.all();
    keeper
}

#[test]
fn what_may_only_be_appended_to_is_held_to_it_by_every_policy() {
    for policy in POLICIES {
        let mut keeper = keeper_of_logs(policy);
        keeper.write("1.log", "a Xine\nanother line\n");
        keeper.write("2.log", "another beginning\na line\nanother line\n");
        keeper.write("3.log", "a line\n");
        keeper.write("4.log", "");
        keeper.write("5.log", "a line\nanother line\nand one more\n");
        let names = ["1.log", "2.log", "3.log", "4.log"];
        let found = keeper.night();
        assert_eq!(found, said(&names.map(|name| (name, Verdict::Changed))), "{policy:?}");
        assert!(names.iter().all(|name| keeper.cause(name) == Some(Cause::NotAppended)));
        keeper.set(|terms| terms.policy = Policy::Living);
        assert_eq!(keeper.standing(), found, "no policy takes that");
    }
}

#[test]
fn a_log_that_was_rotated_is_no_alarm() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of_logs(policy);
        // As it was known; with more lines; and with nothing in its place yet.
        for (name, more) in [("1.log", ""), ("2.log", "more\n"), ("3.log", "more\n")] {
            keeper.rename(name, &format!("{name}.1"));
            let mut file =
                File::options().append(true).open(keeper.tree().join(format!("{name}.1"))).expect("there");
            file.write_all(more.as_bytes()).expect("written");
        }
        keeper.write("1.log", "a new one\n");
        keeper.write("2.log", "a new one\n");
        assert_eq!(keeper.night(), Said::new(), "{policy:?}");
        assert_eq!(keeper.events("2.log.1"), ["moved"]);
        // What was compressed at once is nowhere to be compared with.
        keeper.remove("4.log");
        keeper.write("4.log.1.gz", "compressed");
        keeper.remove("5.log");
        keeper.write("5.log.1.gz", "compressed, too");
        keeper.write("5.log", "a new one\n");
        let found = keeper.night();
        assert_eq!(found, said(&[("4.log", Verdict::Missing), ("5.log", Verdict::Changed)]), "{policy:?}");
        for name in ["4.log", "5.log"] {
            assert_eq!(keeper.cause(name), Some(Cause::Compressed));
        }
    }
}

#[test]
fn a_log_that_grows_while_it_is_read_is_read_to_its_end_of_then() {
    let mut keeper = keeper_of_logs(Policy::Growing);
    keeper.write("1.log", "a line\nanother line\nand one more\n");
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) == "1.log" {
            record.outcome = ReadOutcome::Unstable(Instability::Grew);
        }
    };
    keeper.passes(DAY);
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    let (audited, _, _) = watched(&mut keeper, &hooks, |_| {}, &std::sync::Arc::default());
    assert_eq!((audited.counts.of(Verdict::Grown), keeper.standing()), (1, Said::new()));
}

#[test]
fn a_log_that_has_grown_is_as_good_to_an_audit_of_findings_alone() {
    let mut keeper = keeper_of_logs(Policy::Growing);
    keeper.night_without("1.log");
    assert_eq!(keeper.standing(), said(&[("1.log", Verdict::Unreadable)]));
    keeper.write("1.log", "a line\nanother line\nand one more\n");
    keeper.passes(DAY);
    keeper.audit(|options| options.only = vec![Verdict::Unreadable]);
    assert_eq!(keeper.standing(), Said::new());
}

#[test]
fn an_empty_log_grows() {
    for policy in POLICIES {
        let mut keeper = Keeper::new(|terms| {
            terms.policy = policy;
            terms.selection.append_only = vec!["*.log".into()];
        });
        keeper.write_on(1, "a.log", "");
        keeper.all();
        keeper.edit("a.log", "the first line\n");
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
        keeper.edit("a.log", "another line\n");
        assert_eq!(keeper.all_of_it(), said(&[("a.log", Verdict::Changed)]), "{policy:?}");
    }
}

#[test]
fn numbered_logs_go_on_though_one_of_them_is_damaged() {
    for policy in [Policy::Living, Policy::Growing] {
        // Found before they are rotated, or under its new name, which may be that of another one.
        for (is_found, has_more) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut keeper = keeper_of_numbered_logs(policy);
            for (age, name) in ["log", "log.1", "log.2"].iter().enumerate().take(2 + usize::from(has_more)) {
                keeper.write_on(9 - age as u64, name, &format!("what {name} says\n"));
            }
            keeper.all();
            corrupt(&keeper.tree().join("log.1"), b"whXt log.1 says\n");
            if is_found {
                assert_eq!(keeper.all_of_it(), said(&[("log.1", Verdict::Corrupt)]));
            }
            for night in 0..3 {
                let names = ["log", "log.1", "log.2", "log.3", "log.4", "log.5"];
                for pair in names.windows(2).rev().filter(|pair| keeper.tree().join(pair[0]).exists()) {
                    keeper.rename(pair[0], pair[1]);
                }
                keeper.edit("log", &format!("the log of night {night}\n"));
                let name = format!("log.{}", night + 2);
                let expected = said(&[(&name, Verdict::Corrupt)]);
                let shown = format!("{policy:?}, {is_found}, {has_more}, night {night}");
                assert_eq!(keeper.all_of_it(), expected, "{shown}");
            }
            keeper.write_on(8, "log.4", "what log.1 says\n");
            assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}, {is_found}, {has_more}");
        }
    }
}
