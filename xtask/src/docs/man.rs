//! The sections of a man page that clap knows only as text after the help.
//!
//! The generator puts that text into one section named EXTRA. It is the text of `--help`, and stays its only source:
//! here its paragraphs get the sections in which people look for them.

use std::ffi::OsStr;

/// What the generator names the text after the help.
const EXTRA: &str = ".SH EXTRA\n";

/// How paragraphs begin, and the sections for them, in the order of man-pages(7).
const SECTIONS: [(&str, &str); 3] =
    [("Programs:", "PROGRAMS"), ("Exit codes", "EXIT STATUS"), ("Examples:", "EXAMPLES")];

/// Programs of others that do similar work.
const RELATED: [&str; 3] = ["b3sum", "hashdeep", "sha256sum"];

/// The page with its last sections named, and with references to `pages`, all that are generated, and to others.
pub(super) fn with_sections(page: &str, name: &OsStr, pages: &[&OsStr]) -> String {
    let (head, rest) = page.split_once(EXTRA).unwrap_or((page, ""));
    let (extra, tail) = rest.find("\n.SH ").map_or((rest, ""), |end| rest.split_at(end + 1));
    let mut text = head.to_owned();
    for (beginning, section) in SECTIONS {
        let mut is_here = false;
        for paragraph in extra.split("\n\n") {
            let begun = SECTIONS.iter().find(|(beginning, _)| paragraph.starts_with(beginning));
            is_here = begun.map_or(is_here, |(begun, _)| *begun == beginning);
            if !is_here {
                continue;
            }
            let (title, lines) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
            match begun {
                Some(_) => text += &format!(".SH \"{section}\"\n"),
                // It goes with what stands before it.
                None => text += ".PP\n",
            }
            text += &match title {
                // The name of the section says what these are examples of.
                _ if title == beginning => verbatim(lines),
                _ if begun.is_some() || lines.starts_with("  ") => {
                    format!("{title}\n.PP\n{}", verbatim(lines))
                }
                _ => format!("{}\n", paragraph.trim_end()),
            };
        }
    }
    text + tail + &see_also(name, pages)
}

/// Lines that stay as they are.
fn verbatim(lines: &str) -> String {
    format!(".nf\n{}\n.fi\n", lines.trim_end())
}

fn see_also(name: &OsStr, pages: &[&OsStr]) -> String {
    let pages = pages.iter().filter(|page| **page != name).map(|page| page.to_string_lossy());
    let ours = pages.map(|page| page.trim_end_matches(".1").replace('-', "\\-"));
    let references = ours.chain(RELATED.map(str::to_owned)).map(|page| format!(".BR {page} (1)"));
    format!(".SH \"SEE ALSO\"\n{}\n", references.collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_after_the_help_become_sections() {
        let page = ".SH OPTIONS\nx\n.SH EXTRA\nExamples:\n  x y\n\nExit codes (they add up):\n  0  fine\n\n\
             More of\nthem.\n\nA table:\n  a  b\n.SH VERSION\nv1\n";
        let pages = ["x-y.1", "x.1"].map(OsStr::new);
        let wanted = ".SH OPTIONS\nx\n.SH \"EXIT STATUS\"\nExit codes (they add up):\n.PP\n.nf\n  0  fine\n.fi\n\
             .PP\nMore of\nthem.\n.PP\nA table:\n.PP\n.nf\n  a  b\n.fi\n\
             .SH \"EXAMPLES\"\n.nf\n  x y\n.fi\n.SH VERSION\nv1\n.SH \"SEE ALSO\"\n.BR x\\-y (1),\n.BR b3sum (1),\n\
             .BR hashdeep (1),\n.BR sha256sum (1)\n";
        assert_eq!(with_sections(page, OsStr::new("x.1"), &pages), wanted);
    }

    #[test]
    fn a_page_without_such_text_only_gets_references() {
        let text = with_sections(".SH NAME\nx\n", OsStr::new("x.1"), &[]);
        assert!(text.starts_with(".SH NAME\nx\n.SH \"SEE ALSO\"\n.BR b3sum (1),\n"), "{text}");
    }
}
