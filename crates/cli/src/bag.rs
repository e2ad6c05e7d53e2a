//! `hashlane bag`: bags (BagIt, RFC 8493), made and verified.

mod contents;
mod report;
mod tree;
mod validate;

use crate::args::{BagArgs, BagCommand};
use crate::status::Status;

pub(crate) fn run(args: &BagArgs) -> anyhow::Result<Status> {
    match &args.command {
        BagCommand::Validate(args) => validate::run(args),
    }
}
