//! Answers in XML: elements, and the text in them.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

/// Shows each element at its end: its name, and the text in it that no other element has.
///
/// # Errors
/// It is not XML, or breaks off.
pub(crate) fn elements(xml: &str, mut take: impl FnMut(&str, &str)) -> Result<(), quick_xml::Error> {
    elements_and_attributes(xml, |name, text, _| take(name, text))
}

/// The same with the attributes of elements that have no others in them, as they are written.
///
/// # Errors
/// It is not XML, or breaks off.
pub(crate) fn elements_and_attributes(
    xml: &str,
    mut take: impl FnMut(&str, &str, &str),
) -> Result<(), quick_xml::Error> {
    let mut reader = Reader::from_str(xml);
    let mut open = 0_usize;
    let (mut text, mut attributes) = (String::new(), String::new());
    loop {
        match reader.read_event()? {
            Event::Start(element) => {
                open += 1;
                text.clear();
                element.attributes_raw().clone_into(&mut attributes);
            }
            Event::Empty(element) => take(element.name().0, "", element.attributes_raw()),
            Event::Text(more) => text.push_str(&more.xml10_content()),
            Event::CData(more) => text.push_str(&more.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref()? {
                Some(character) => text.push(character),
                None => {
                    text.push_str(resolve_predefined_entity(&reference.xml10_content()).unwrap_or_default())
                }
            },
            Event::End(element) => {
                take(element.name().0, &text, &attributes);
                text.clear();
                attributes.clear();
                open = open.saturating_sub(1);
            }
            // An answer that was cut off between two elements looks like any other.
            Event::Eof if open > 0 => {
                return Err(quick_xml::Error::IllFormed(quick_xml::errors::IllFormedError::MissingEndTag(
                    String::new(),
                )));
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(xml: &str) -> Option<Vec<(String, String)>> {
        let mut seen = Vec::new();
        elements(xml, |name, text| seen.push((name.to_owned(), text.to_owned()))).ok().map(|()| seen)
    }

    #[test]
    fn elements_end_with_their_text() {
        let seen =
            seen("<?xml version=\"1.0\"?><a>\n<b>1 &lt;&amp;&#xe9;&quot;</b><c/><b></b></a>").expect("XML");
        let expected = [("b", "1 <&é\""), ("c", ""), ("b", ""), ("a", "")];
        assert_eq!(seen, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn what_breaks_off_is_no_answer() {
        for cut in ["<a><b>1</b>", "<a><b>", "<a", "<a><b></a>"] {
            assert_eq!(seen(cut), None, "{cut}");
        }
    }
}
