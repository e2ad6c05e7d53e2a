//! What was told.

use hashlane_catalog::Message as Kept;

use super::*;

schema_fns! {
    states => one_of(["delivered", "waits", "given up"]);
}

written! {
    /// A message, as `hashlane tell list --format json` writes it.
    pub(in crate::collection) struct Message = of: &Kept {
        /// The number of the message, which no other one ever has.
        number: i64 = of.id.0,
        /// Who is told, as the configuration names it.
        target: String = of.target.clone(),
        /// What kind of message it is: changed, standing, start, success, fail, log.
        kind: String = of.kind.clone(),
        /// The number of the first event that it is about. Where that is larger than the last, it is about none.
        first_event: i64 = of.first,
        /// The number of the last one.
        last_event: i64 = of.last,
        /// When it was made.
        made: Time = of.made_s.into(),
        /// What has become of it.
        #[schemars(schema_with = "states")]
        state: &'static str = crate::collection::messages::state(of),
        /// How often it was tried to deliver it.
        tries: u32 = of.tries,
        /// When that is tried next.
        next_try: Time = of.next_s.into(),
        /// When it was delivered.
        delivered: Time = of.delivered_s.into(),
        /// Why it could not be delivered when that was last tried.
        problem: String = of.problem.clone(),
    }
}

line_of!(Message, "hashlane-message");
