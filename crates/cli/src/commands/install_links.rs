//! `hashlane install-links`: links under the names of the programs that can be played.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hashlane_personality::Personality;
use hashlane_report::text;

use crate::args::InstallLinksArgs;
use crate::commands::personality::unknown;
use crate::output::shown;
use crate::status::{Status, unreadable, usage};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &InstallLinksArgs) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    let names = names(args)?;
    let target = std::env::current_exe()
        .map_err(|error| unreadable!("the path of this program is unknown: {}", text::system(&error)))?;
    if !args.directory.is_dir() {
        return Err(usage!("{}: is not a directory; create it first", shown(&args.directory)));
    }
    let (mut made, mut there, mut refused) = (0_u64, 0_u64, 0_u64);
    for name in names {
        let link = args.directory.join(name);
        match place(&target, &link, args.force) {
            Ok(true) => made += 1,
            Ok(false) => there += 1,
            Err(error) => {
                refused += 1;
                screen.message(&format!("{}: {error}", shown(&link)));
            }
        }
    }
    if !args.quiet {
        let mut line = format!("{} to {}", text::counted(made, "link"), shown(&target));
        if there > 0 {
            line += &format!(", {} already existed", text::count(there));
        }
        if refused > 0 {
            line += &format!(", {} refused", text::count(refused));
        }
        screen.message(&line);
    }
    Ok(if refused > 0 { Status::OUTPUT } else { Status::OK })
}

fn names(args: &InstallLinksArgs) -> anyhow::Result<Vec<&'static str>> {
    if args.names.is_empty() {
        return Ok(Personality::all().map(Personality::name).collect());
    }
    let named = args.names.iter().map(|name| match Personality::named(name) {
        Some(personality) => Ok(personality.name()),
        None => Err(unknown(name)),
    });
    named.collect()
}

/// Makes a link; false if it is there already. What is not a link to this program is left alone, unless `force` says
/// otherwise: then it is replaced in one step, so that the name is never without a program.
fn place(target: &Path, link: &Path, force: bool) -> Result<bool, String> {
    let said = |error: io::Error| text::system(&error);
    match fs::symlink_metadata(link) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            symlink(target, link).map(|()| true).map_err(said)
        }
        Err(error) => Err(said(error)),
        Ok(_) if fs::read_link(link).is_ok_and(|leads_to| leads_to == target) => Ok(false),
        Ok(facts) if facts.is_dir() => Err("is a directory and was left alone".to_owned()),
        Ok(_) if !force => Err("exists and is not a link to this program; --force replaces it".to_owned()),
        Ok(_) => {
            let mut new = link.as_os_str().to_owned();
            new.push(".new");
            let new = PathBuf::from(new);
            symlink(target, &new).and_then(|()| fs::rename(&new, link)).map(|()| true).map_err(said)
        }
    }
}
