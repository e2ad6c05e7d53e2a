//! The schemas of all that is written in lines for programs.

use serde_json::Value;

/// Of each kind of lines its name, and the schemas of its lines.
pub fn schemas() -> Vec<(&'static str, Vec<Value>)> {
    let of_runs = [("backends", crate::run::backends_schemas()), ("diff", crate::differences::schemas())];
    let of_files = crate::files::schemas().into_iter().chain(crate::work::schemas()).chain(of_runs);
    of_files.chain(crate::collection::schemas()).collect()
}
