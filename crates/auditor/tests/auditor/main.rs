//! Audits from outside: trees that somebody works in, and what is reported of them.

mod audit;
mod budgets;
mod changes;
mod damage;
mod decisions;
mod elsewhere;
mod endings;
mod feed;
mod holds;
mod keeper;
mod kept;
mod medium;
mod pending;
mod places;
mod promise;
mod rereading;
mod running;
mod steering;
mod stories;
#[path = "../../../catalog/tests/catalog/support.rs"]
#[expect(dead_code, reason = "not all of it is about audits")]
mod support;
mod watched;
