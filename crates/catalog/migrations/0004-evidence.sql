-- Evidence: what a provider says of files that it keeps. None of it is a reading, and spans know nothing of it.

-- A report that was imported.
CREATE TABLE evidence (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    run          INTEGER NOT NULL REFERENCES run,
    -- The names of its files: a JSON list of texts.
    files        TEXT    NOT NULL,
    provider     TEXT    NOT NULL,
    -- 1 computed from the stored bytes, 2 stated.
    kind         INTEGER NOT NULL CHECK (kind IN (1, 2)),
    -- When it was made, if it says so; and when it was imported.
    made_s       INTEGER,
    imported_s   INTEGER NOT NULL,
    -- By which the same report is known again.
    fingerprint  BLOB    NOT NULL,
    -- Whether all of it is there: one that is not counts for nothing.
    is_whole     INTEGER NOT NULL,
    -- What was counted when it was imported: a JSON object.
    counts       TEXT    NOT NULL DEFAULT '{}',
    -- Files of which it says the same or something else, and still does: they are of that version, and no reading has settled it.
    agrees       INTEGER NOT NULL DEFAULT 0,
    differs      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX evidence_of_collection ON evidence (collection, id);

-- What it says of one file.
CREATE TABLE statement (
    evidence     INTEGER NOT NULL REFERENCES evidence,
    item         INTEGER NOT NULL,
    -- 1 agrees, 2 differs, 3 failed at the provider; from 10 on: why it was not compared.
    outcome      INTEGER NOT NULL,
    -- The checksum that decided, or the first one.
    algorithm    TEXT,
    digest       BLOB,
    size         INTEGER,
    mtime_ns     INTEGER,
    version      TEXT,
    etag         TEXT,
    detail       TEXT    NOT NULL DEFAULT '',
    -- Whether it still counts: the file is of the version that was compared, and no reading has settled what it contradicts.
    is_current   INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (evidence, item)
) STRICT, WITHOUT ROWID;

-- What is contradicted now: those files are read first.
CREATE INDEX statement_contradicts ON statement (evidence, item) WHERE outcome = 2 AND is_current;
