//! Rust source as words, texts and marks: as much of the language as it takes to find paths and string literals.

/// A piece of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier, a keyword, a number, or the name of a lifetime.
    Word(String),
    /// What a string literal holds, escapes as they are written.
    Text(String),
    /// Any other character.
    Mark(char),
}

/// A token and the line that it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) line: usize,
}

impl Placed {
    pub(crate) fn is(&self, mark: char) -> bool {
        self.token == Token::Mark(mark)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match &self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// All tokens of a source; comments are none.
pub(crate) fn tokens(source: &str) -> Vec<Placed> {
    let mut reader = Reader { rest: source, line: 1 };
    let mut all = Vec::new();
    loop {
        reader.skip_blanks();
        let line = reader.line;
        match reader.next() {
            Some(Some(token)) => all.push(Placed { token, line }),
            Some(None) => {}
            None => return all,
        }
    }
}

/// What is left when everything that is built for tests alone is taken out, and the names of the modules among it that have a file
/// of their own.
pub(crate) fn without_tests(tokens: &[Placed]) -> (Vec<Placed>, Vec<String>) {
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        match attribute_end(tokens, at) {
            Some(end) if is_for_tests(&tokens[at..end]) => {
                let item_end = item_end(tokens, end);
                let item = &tokens[end..item_end];
                if let Some(place) = item.iter().position(|token| token.is_word("mod"))
                    && item.last().is_some_and(|last| last.is(';'))
                {
                    modules.extend(item.get(place + 1).and_then(Placed::word).map(str::to_owned));
                }
                at = item_end;
            }
            Some(end) => {
                kept.extend_from_slice(&tokens[at..end]);
                at = end;
            }
            None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    (kept, modules)
}

/// Where an attribute that begins here ends.
fn attribute_end(tokens: &[Placed], at: usize) -> Option<usize> {
    let is_attribute = tokens[at].is('#') && tokens.get(at + 1)?.is('[');
    is_attribute.then(|| closing(tokens, at + 1) + 1)
}

fn is_for_tests(attribute: &[Placed]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.is_word(word));
    has("cfg") && has("test") && !has("not")
}

/// Where an item ends, the attributes before it included: with its braces, or with a semicolon.
fn item_end(tokens: &[Placed], mut at: usize) -> usize {
    while at < tokens.len() {
        if let Some(end) = attribute_end(tokens, at) {
            at = end;
        } else if tokens[at].is('{') {
            return closing(tokens, at) + 1;
        } else if tokens[at].is('(') || tokens[at].is('[') {
            at = closing(tokens, at) + 1;
        } else if tokens[at].is(';') {
            return at + 1;
        } else {
            at += 1;
        }
    }
    at
}

/// The bracket that closes the one here, or the last token.
pub(crate) fn closing(tokens: &[Placed], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token.token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}' | ')' | ']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place;
        }
    }
    tokens.len() - 1
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.len() - self.rest.trim_start().len();
        self.take(blanks);
    }

    /// The next token; `Some(None)` for a comment.
    fn next(&mut self) -> Option<Option<Token>> {
        let first = self.rest.chars().next()?;
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(end);
            return Some(None);
        }
        if self.rest.starts_with("/*") {
            self.block_comment();
            return Some(None);
        }
        if let Some(text) = self.text() {
            return Some(Some(Token::Text(text)));
        }
        if first == '\'' {
            return Some(Some(self.letter_or_lifetime()));
        }
        if first.is_alphanumeric() || first == '_' {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
            return Some(Some(Token::Word(self.take(end).to_owned())));
        }
        self.take(first.len_utf8());
        Some(Some(Token::Mark(first)))
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
            } else {
                let letter = self.rest.chars().next().map_or(1, char::len_utf8);
                self.take(letter);
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// A string literal of any kind.
    fn text(&mut self) -> Option<String> {
        let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
            let Some(behind) = self.rest.strip_prefix(prefix) else { return false };
            let hashes = behind.trim_start_matches('#');
            hashes.starts_with('"') && (prefix.ends_with('r') || hashes.len() == behind.len())
        })?;
        self.take(prefix.len());
        let hashes = self.rest.len() - self.rest.trim_start_matches('#').len();
        self.take(hashes + 1);
        let length = if prefix.ends_with('r') {
            self.rest.find(&format!("\"{}", "#".repeat(hashes))).unwrap_or(self.rest.len())
        } else {
            let mut is_escaped = false;
            let end = self.rest.find(|letter: char| {
                let is_end = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                is_end
            });
            end.unwrap_or(self.rest.len())
        };
        let text = self.take(length).to_owned();
        self.take(1 + hashes);
        Some(text)
    }

    /// `'a'` or `'a`: what a character literal holds is of no interest.
    fn letter_or_lifetime(&mut self) -> Token {
        self.take(1);
        let mut letters = self.rest.chars();
        let (first, second) = (letters.next(), letters.next());
        if first == Some('\\') {
            let behind = self.rest.get(2..).and_then(|rest| rest.find('\'')).unwrap_or(0);
            self.take(2 + behind + 1);
            Token::Mark('\'')
        } else if second == Some('\'') {
            self.take(first.map_or(0, char::len_utf8) + 1);
            Token::Mark('\'')
        } else {
            Token::Mark('\'')
        }
    }
}

#[test]
fn comments_are_skipped_and_texts_are_whole() {
    let source = r###"
        // "no"
        /* "no" /* no */ "no" */
        let x: &'static str = "a \" // b"; let c = ['"', '\'', '\\', 'é', b'"'];
        f(r#"raw " text"#, b"bytes", r"\", c"end");
    "###;
    let tokens = tokens(source);
    let texts: Vec<_> = tokens
        .iter()
        .filter_map(|placed| match &placed.token {
            Token::Text(text) => Some((text.as_str(), placed.line)),
            _ => None,
        })
        .collect();
    assert_eq!(texts, [(r#"a \" // b"#, 4), (r#"raw " text"#, 5), ("bytes", 5), (r"\", 5), ("end", 5)]);
    assert!(!tokens.iter().any(|token| token.is_word("no")));
    assert!(tokens.iter().any(|token| token.is_word("static")));
}

#[test]
fn what_is_built_for_tests_alone_is_taken_out() {
    let source = "
        #[cfg(test)] #[allow(x)] mod tests { fn a() { gone() } }
        #[cfg(test)] mod testing;
        #[cfg(test)] use gone::{a, b};
        #[cfg(not(test))] fn kept() {}
        #[test] fn kept_too() {}
    ";
    let (kept, modules) = without_tests(&tokens(source));
    assert_eq!(modules, ["testing"]);
    assert!(!kept.iter().any(|token| token.is_word("gone")));
    assert!(["kept", "kept_too"].iter().all(|word| kept.iter().any(|token| token.is_word(word))));
}
