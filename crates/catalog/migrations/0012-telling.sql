-- What is asked of audits that are under way, and who is told what happens.

-- What is asked of an audit by whoever asks: its process looks at it.

CREATE TABLE steering (
    stint        INTEGER PRIMARY KEY REFERENCES stint,
    -- Since when it is to end, and who wants it to. Null: it is not.
    stop_s       INTEGER,
    stop_by      TEXT,
    -- At how many bytes per second it is to read, 0 without a limit, and who wants it to. Null: as it was begun.
    rate         INTEGER CHECK (rate >= 0),
    rate_by      TEXT,
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Since when nothing is audited, if that is so: one row.
CREATE TABLE pause (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    since_s      INTEGER NOT NULL,
    -- Null: until somebody ends it.
    until_s      INTEGER,
    actor        TEXT    NOT NULL,
    reason       TEXT    NOT NULL DEFAULT '',
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Who is told, by the names that a configuration gives them: those that were ever named.
CREATE TABLE target (
    name         TEXT    PRIMARY KEY,
    -- Each event up to this number is in one of its messages, is of no interest to it, or happened before it was named.
    event        INTEGER NOT NULL,
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- How a collection was when a target was last told of it, in one word.
CREATE TABLE told (
    target       TEXT    NOT NULL REFERENCES target,
    collection   INTEGER NOT NULL REFERENCES collection,
    condition    TEXT    NOT NULL,
    at_s         INTEGER NOT NULL,
    row_sum      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (target, collection)
) STRICT, WITHOUT ROWID;

-- What a target is told, each once by its number, which is from `counter`.
CREATE TABLE message (
    id           INTEGER PRIMARY KEY,
    target       TEXT    NOT NULL REFERENCES target,
    -- One word.
    kind         TEXT    NOT NULL,
    -- The events that it is about: from one number to another. Those of a target follow each other without a gap that is of interest to it.
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL,
    made_s       INTEGER NOT NULL,
    -- A JSON object.
    content      TEXT    NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    -- When it is tried next; null: it was delivered, or given up.
    next_s       INTEGER,
    delivered_s  INTEGER,
    -- Why it could not be delivered when it was last tried.
    problem      TEXT    NOT NULL DEFAULT '',
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX message_that_waits ON message (target, id) WHERE next_s IS NOT NULL;
