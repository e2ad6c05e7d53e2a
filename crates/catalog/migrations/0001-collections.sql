-- Collections, their files, and when each was last read good.
--
-- Paths are bytes and are stored once: directories here, names with their items. Times of files are nanoseconds since 1970, all others
-- seconds. Digests are blobs, one after the other in the order of the collection's algorithms.

CREATE TABLE collection (
    id           INTEGER PRIMARY KEY,
    name         TEXT    NOT NULL UNIQUE,
    team         TEXT    NOT NULL DEFAULT '',
    root         BLOB    NOT NULL,
    -- Names, separated by commas. They never change: digests of items are in this order.
    algorithms   TEXT    NOT NULL,
    -- Within which time every byte is to be read again; null without a promise.
    period_s     INTEGER CHECK (period_s > 0),
    -- 0 living, 1 frozen.
    policy       INTEGER NOT NULL DEFAULT 0,
    created_s    INTEGER NOT NULL,
    -- When it was removed; its history stays until it is purged.
    removed_s    INTEGER,
    -- What the root was when it was last seen: file system and inode. Null before the first audit.
    file_system  TEXT,
    root_inode   INTEGER
) STRICT;

-- One request for an audit. It may take several stints, the later ones after an interruption.
CREATE TABLE run (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    request      TEXT    NOT NULL,
    actor        TEXT    NOT NULL,
    reason       TEXT    NOT NULL DEFAULT '',
    started_s    INTEGER NOT NULL,
    -- Null while it is under way, and after it was killed.
    ended_s      INTEGER,
    outcome      TEXT,
    -- For proofs: the salts of its versions derive from the secret, and their leaves are counted from the base.
    secret       BLOB    NOT NULL,
    leaf_base    INTEGER NOT NULL,
    leaves       INTEGER NOT NULL DEFAULT 0,
    merkle_root  BLOB
) STRICT;
CREATE INDEX run_of_collection ON run (collection, id);

-- The part of a run that one process did.
CREATE TABLE stint (
    id           INTEGER PRIMARY KEY,
    run          INTEGER NOT NULL REFERENCES run,
    started_s    INTEGER NOT NULL,
    ended_s      INTEGER,
    host         TEXT    NOT NULL,
    pid          INTEGER NOT NULL
) STRICT;
CREATE INDEX stint_of_run ON stint (run);

-- Below the root, without a slash at either end; the root itself is empty.
CREATE TABLE directory (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    path         BLOB    NOT NULL,
    UNIQUE (collection, path)
) STRICT;

-- A stretch of the names of a directory: from `first` on, to the next one. Its items have the ids from `id << 16` on, in the order in
-- which they came. `part` counts those that begin with the same name, where one was full.
CREATE TABLE segment (
    id           INTEGER PRIMARY KEY,
    directory    INTEGER NOT NULL REFERENCES directory,
    first        BLOB    NOT NULL,
    part         INTEGER NOT NULL,
    items        INTEGER NOT NULL CHECK (items BETWEEN 0 AND 65536),
    UNIQUE (directory, first, part)
) STRICT;

-- A file, as it is known: the present version. Earlier ones are in `version`.
CREATE TABLE item (
    id           INTEGER PRIMARY KEY,
    name         BLOB    NOT NULL,
    size         INTEGER,
    mtime_ns     INTEGER,
    ctime_ns     INTEGER,
    inode        INTEGER,
    digests      BLOB,
    -- The run that recorded this version.
    run          INTEGER NOT NULL,
    state        INTEGER NOT NULL
) STRICT;

-- What an item was before.
CREATE TABLE version (
    item         INTEGER NOT NULL,
    run          INTEGER NOT NULL REFERENCES run,
    size         INTEGER,
    mtime_ns     INTEGER,
    digests      BLOB,
    -- The run that replaced it.
    until_run    INTEGER NOT NULL REFERENCES run,
    PRIMARY KEY (item, run)
) STRICT, WITHOUT ROWID;

-- When items were last read good: all ids of a collection from `first` to `last`. Spans of a collection never overlap.
CREATE TABLE span (
    collection   INTEGER NOT NULL REFERENCES collection,
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL CHECK (last >= first),
    stint        INTEGER NOT NULL REFERENCES stint,
    -- Where the bytes came from: 1 device, 2 cache, 3 unknown, 4 provider.
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 4),
    PRIMARY KEY (collection, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX span_by_age ON span (collection, stint, first);
