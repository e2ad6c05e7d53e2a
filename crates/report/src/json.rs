//! Values that are written for programs, each with its schema from the same definition.
//!
//! The comments of fields are the descriptions in the schemas. A field that came later is written always and required by no schema, for
//! lines of earlier programs do not have it. A schema takes fields and words that are not in it, as readers are to do.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Origin as Came, Timestamp};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::times::utc;

/// A type that is written, with what each field is taken from.
macro_rules! written {
    ($(#[$about:meta])* $vis:vis struct $type:ident = $of:ident: &$source:ty {
        $($(#[$meaning:meta])* $field:ident: $kind:ty = $from:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Serialize, JsonSchema)]
        $vis struct $type {
            $($(#[$meaning])* $field: $kind,)*
        }

        impl From<&$source> for $type {
            fn from($of: &$source) -> Self {
                Self { $($field: $from,)* }
            }
        }
    };
}

/// The type of a line for programs: its fields, and those that it has only where there is something.
macro_rules! lines {
    ($($vis:vis struct $type:ident: $schema:literal {
        $($(#[$meaning:meta])* $field:ident: $kind:ty,)*
        $(..if known { $($(#[$about:meta])* $perhaps:ident: $of:ty,)* })?
    })*) => { $(
        #[derive(Debug, Serialize, JsonSchema)]
        $vis struct $type {
            $($(#[$meaning])* $field: $kind,)*
            $($(
                $(#[$about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schemars(extend("perhaps" = true))]
                $perhaps: Option<$of>,
            )*)?
        }

        line_of!($type, $schema);
    )* };
}

/// What a line says that it is.
macro_rules! line_of {
    ($type:ident, $schema:expr $(, $kind:literal)?) => {
        impl Line for $type {
            const SCHEMA: &'static str = $schema;
            $(const TYPE: Option<&'static str> = Some($kind);)?
        }
    };
}

/// Functions that give schemas, for fields whose type says too little.
macro_rules! schema_fns {
    ($($(#[$about:meta])* $vis:vis $name:ident => $schema:expr;)*) => { $(
        $(#[$about])*
        $vis fn $name(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
            $schema
        }
    )* };
}

/// A line or an object that says by which schema it is to be read.
pub(crate) trait Line: Serialize + JsonSchema + Sized {
    /// What it says.
    const SCHEMA: &'static str;

    /// What it says it is about, where lines of several kinds have one schema.
    const TYPE: Option<&'static str> = None;

    /// What is written. Its fields are in order of their names.
    fn value(&self) -> Value {
        let mut value = value(self);
        value["schema"] = Self::SCHEMA.into();
        value["version"] = 1.into();
        if let Some(kind) = Self::TYPE {
            value["type"] = kind.into();
        }
        value
    }

    /// Its schema.
    fn schema() -> Value {
        let mut schema = schema_of::<Self>();
        let kind = Self::TYPE.map(|kind| json!({ "const": kind, "description": "What the line is about" }));
        insert_head(&mut schema, Self::SCHEMA, kind);
        schema
    }
}

/// Adds to a schema what each line has.
pub(crate) fn insert_head(schema: &mut Value, of: &str, kind: Option<Value>) {
    let head = [
        ("schema", Some(json!({ "const": of, "description": "The kind of line" }))),
        ("version", Some(json!({ "const": 1, "description": "The version of this schema" }))),
        ("type", kind),
    ];
    let head = head.into_iter().filter_map(|(name, of)| Some((name, of?)));
    for (at, (name, of)) in head.enumerate() {
        schema["properties"][name] = of;
        if schema["required"].is_null() {
            schema["required"] = json!([]);
        }
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(at, name.into());
        }
    }
}

/// A value for programs. Its fields are in order of their names.
pub(crate) fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("names are texts, and numbers are finite")
}

pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
    });
    let mut schema = T::json_schema(&mut settings.into_generator());
    // What it is about is in the title of its document.
    schema.remove("description");
    let mut schema = schema.to_value();
    tidy(&mut schema);
    schema
}

/// Takes out of a schema how wide numbers are in memory, and how descriptions are written in a source. Fields that are marked as later ones
/// it may do without; those that are there only if known are never null.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let mut later = Vec::new();
            let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
            for (name, field) in properties.into_iter().flatten() {
                let Some(of) = field.as_object_mut() else { continue };
                if of.remove("later").is_some() {
                    later.push(name.clone());
                }
                if of.remove("perhaps").is_some() {
                    never_null(of);
                }
            }
            if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|name| !later.iter().any(|later| name == later));
            }
            if fields.get("format").is_some_and(Value::is_string) {
                fields.remove("format");
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = text.trim_end_matches('.').replace('\n', " ");
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(parts) => parts.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Takes null out of what a field may be.
fn never_null(field: &mut Map<String, Value>) {
    if let Some([kind, _]) = field.get("type").and_then(Value::as_array).map(Vec::as_slice) {
        let kind = kind.clone();
        field.insert("type".to_owned(), kind);
    }
    let is_null = |of: &Value| of["type"] == "null";
    let other = match field.get_mut("anyOf").and_then(Value::as_array_mut).map(Vec::as_mut_slice) {
        Some([Value::Object(other), null]) if is_null(null) => std::mem::take(other),
        _ => return,
    };
    field.remove("anyOf");
    for (name, of) in other {
        field.entry(name).or_insert(of);
    }
}

/// A schema of one of several lines.
pub fn schema_document(title: &str, lines: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "anyOf": lines,
        "$defs": { "digests": by_algorithm(), "origin": schema_of::<Origin>() },
    })
}

/// One of these words, or one that a later program adds.
pub(crate) fn one_of(words: impl IntoIterator<Item = &'static str>) -> Schema {
    json_schema!({ "anyOf": [{ "enum": words.into_iter().collect::<Vec<_>>() }, { "type": "string" }] })
}

pub(crate) fn or_null(schema: Schema) -> Schema {
    json_schema!({ "anyOf": [schema, { "type": "null" }] })
}

/// A number for each of these words, none of them left out.
pub(crate) fn count_of_each(words: impl IntoIterator<Item = &'static str>) -> Schema {
    let words: Vec<_> = words.into_iter().collect();
    let count = json!({ "type": "integer", "minimum": 0 });
    let properties: Map<_, _> = words.iter().map(|word| ((*word).to_owned(), count.clone())).collect();
    json_schema!({ "type": "object", "properties": properties, "required": words })
}

schema_fns! {
    pub(crate) base64 => json_schema!({ "type": "string", "contentEncoding": "base64" });
    pub(crate) origin => json_schema!({ "$ref": "#/$defs/origin" });
    pub(crate) algorithm => one_of(Algorithm::all().map(Algorithm::name));
    pub(crate) algorithms => json_schema!({
        "type": "array", "items": one_of(Algorithm::all().map(Algorithm::name)), "uniqueItems": true
    });
}

fn by_algorithm() -> Value {
    let text = |algorithm: Algorithm| {
        let pattern = match algorithm.names_itself() {
            true => "^c4[1-9A-HJ-NP-Za-km-z]{88}$".to_owned(),
            false => format!("^[0-9a-f]{{{}}}$", algorithm.text_length()),
        };
        (algorithm.name().to_owned(), json!({ "type": "string", "pattern": pattern }))
    };
    let properties: Map<String, Value> = Algorithm::all().map(text).collect();
    json!({ "type": "object", "properties": properties })
}

/// What a time looks like in UTC.
pub(crate) const TIME: &str = "^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$";

/// A time in UTC, RFC 3339; null where it is not known, or no calendar has it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Time(Option<String>);

impl From<i64> for Time {
    fn from(seconds: i64) -> Self {
        Self(utc(seconds))
    }
}

impl From<Option<i64>> for Time {
    fn from(seconds: Option<i64>) -> Self {
        Self(seconds.and_then(utc))
    }
}

impl From<Option<Timestamp>> for Time {
    /// To the nanosecond.
    fn from(time: Option<Timestamp>) -> Self {
        let to_nanos = |time: Timestamp| jiff::Timestamp::new(time.seconds, time.nanos as i32).ok();
        Self(time.and_then(to_nanos).map(|time| time.to_string()))
    }
}

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "null"], "pattern": TIME })
    }
}

/// Digests in hexadecimal, by algorithm.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Digests(BTreeMap<&'static str, String>);

impl Digests {
    pub(crate) fn of<'a>(digests: impl IntoIterator<Item = &'a Digest>) -> Self {
        let of = |digest: &Digest| (digest.algorithm().name(), digest.to_string());
        Self(digests.into_iter().map(of).collect())
    }
}

impl JsonSchema for Digests {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Digests".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#/$defs/digests" })
    }
}

/// Where bytes came from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Origin {
    /// Bytes from a device.
    device_bytes: u64,
    /// Bytes from the page cache.
    cache_bytes: u64,
    /// Bytes from a store on the network.
    network_bytes: u64,
    /// Bytes of unknown origin.
    unknown_bytes: u64,
}

impl From<&Came> for Origin {
    fn from(of: &Came) -> Self {
        let Came { device_bytes, cache_bytes, network_bytes, unknown_bytes, .. } = *of;
        Self { device_bytes, cache_bytes, network_bytes, unknown_bytes }
    }
}

/// The types of names: the text, and the bytes beside it where they are not UTF-8.
macro_rules! names {
    ($($type:ident { $text:ident, $bytes:ident } $meaning:tt)*) => { $(
        #[derive(Debug, Serialize, JsonSchema)]
        pub(crate) struct $type {
            #[doc = $meaning]
            $text: String,
            /// The bytes of the name in base64, if it is not UTF-8.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(schema_with = "base64")]
            $bytes: Option<String>,
        }

        impl From<&[u8]> for $type {
            fn from(name: &[u8]) -> Self {
                let is_text = std::str::from_utf8(name).is_ok();
                let bytes = (!is_text).then(|| data_encoding::BASE64.encode(name));
                Self { $text: String::from_utf8_lossy(name).into_owned(), $bytes: bytes }
            }
        }
    )* };
}

names! {
    Path { path, path_b64 } "The name; bytes that are not UTF-8 are replaced"
}
