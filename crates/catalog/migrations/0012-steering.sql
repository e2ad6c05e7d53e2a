-- What is asked of audits that are under way, by whoever asks: their processes look at it.

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
