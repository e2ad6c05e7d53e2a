-- Collections, their files, when each was last read good, and what was found.
--
-- Paths are bytes and are stored once: directories here, names with their items. Times of files are nanoseconds since 1970, all others
-- seconds. Digests are blobs, one after the other in the order of the collection's algorithms.

CREATE TABLE collection (
    id           INTEGER PRIMARY KEY,
    name         TEXT    NOT NULL,
    -- The group that it is listed in; empty: none.
    team         TEXT    NOT NULL DEFAULT '',
    root         BLOB    NOT NULL,
    -- Names, separated by commas. They never change: digests of items are in this order.
    algorithms   TEXT    NOT NULL,
    -- Within which time every byte is to be read again; null without a promise.
    period_s     INTEGER CHECK (period_s > 0),
    -- 0 living, 1 frozen.
    policy       INTEGER NOT NULL DEFAULT 0,
    -- What belongs to it, and what may grow: a JSON object of lists of globs.
    selection    TEXT    NOT NULL DEFAULT '{}',
    -- JSON list of texts.
    tags         TEXT    NOT NULL DEFAULT '[]',
    -- A run is held where more files than both of these are missing, changed or unreadable.
    hold_files   INTEGER NOT NULL DEFAULT 50,
    hold_percent REAL    NOT NULL DEFAULT 1,
    created_s    INTEGER NOT NULL,
    -- When it was removed; its history stays until it is purged.
    removed_s    INTEGER,
    -- What the root was when it was last seen: the identity of its file system, and its inode. Null before the first audit.
    file_system  TEXT,
    root_inode   INTEGER,
    -- What a file in the root says by which it is known again; null: there is none.
    marker       TEXT,
    -- Where other file systems were mounted in it: a JSON list of paths, as lists of bytes, and identities.
    mounts       TEXT    NOT NULL DEFAULT '[]',
    -- Since when it could not be reached, if it cannot.
    offline_s    INTEGER,
    -- When its tree was last listed; null before its first audit is over.
    listed_s     INTEGER
) STRICT;
CREATE UNIQUE INDEX collection_name ON collection (name) WHERE removed_s IS NULL;

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
    -- In one word; what was counted is a JSON object.
    outcome      TEXT,
    counts       TEXT    NOT NULL DEFAULT '{}',
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
    -- How many it has had: the ordinal of the next one.
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

-- Those that are to be read soon: registered, unsettled, unread. They are few, and asked for in each audit.
CREATE INDEX item_to_read ON item (state) WHERE state IN (1, 3, 5);

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

-- How many files a collection has in each state, and their bytes, so that nobody needs to count them. `sum` is the sum of the
-- checksums of their rows, modulo 2^64: a row that changes by itself does not go unnoticed.
CREATE TABLE total (
    collection   INTEGER NOT NULL REFERENCES collection,
    state        INTEGER NOT NULL,
    files        INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    sum          INTEGER NOT NULL,
    PRIMARY KEY (collection, state)
) STRICT, WITHOUT ROWID;

-- What stands against a file. One that was cleared stays for a period, as recovered.
CREATE TABLE finding (
    item         INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    verdict      INTEGER NOT NULL,
    -- The run that said so first, and when; and when it was last seen to be so.
    run          INTEGER NOT NULL REFERENCES run,
    since_s      INTEGER NOT NULL,
    seen_s       INTEGER NOT NULL,
    -- The stint that saw it last.
    stint        INTEGER NOT NULL REFERENCES stint,
    -- What was there instead of what is known; null where nothing was read.
    size         INTEGER,
    mtime_ns     INTEGER,
    ctime_ns     INTEGER,
    inode        INTEGER,
    digests      BLOB,
    -- The digests of later readings, past the cache, and where their bytes came from.
    again        BLOB,
    reading      INTEGER,
    -- What else is to be told of it: the likely cause, what the system said.
    detail       TEXT    NOT NULL DEFAULT '',
    cleared_s    INTEGER,
    -- Who knows, why, since when and until when.
    known_by     TEXT,
    known_reason TEXT,
    known_s      INTEGER,
    known_until_s INTEGER
) STRICT;
CREATE INDEX finding_of_collection ON finding (collection, verdict, item);

-- What happened to a file or to a collection, for ever.
CREATE TABLE event (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    item         INTEGER,
    run          INTEGER REFERENCES run,
    at_s         INTEGER NOT NULL,
    actor        TEXT    NOT NULL,
    -- One word.
    what         TEXT    NOT NULL,
    reason       TEXT    NOT NULL DEFAULT '',
    -- The other item of a move or a copy.
    other        INTEGER,
    detail       TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX event_of_item ON event (item, id) WHERE item IS NOT NULL;
CREATE INDEX event_of_collection ON event (collection, id);

-- Directories that could not be listed, or not to their end, when the tree was last listed.
CREATE TABLE unlisted (
    collection   INTEGER NOT NULL REFERENCES collection,
    path         BLOB    NOT NULL,
    since_s      INTEGER NOT NULL,
    detail       TEXT    NOT NULL,
    PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;

-- How far large files were read when they were put aside. The states are good for the very file that they were taken of.
CREATE TABLE checkpoint (
    collection   INTEGER NOT NULL REFERENCES collection,
    path         BLOB    NOT NULL,
    -- The stint that read the first byte.
    stint        INTEGER NOT NULL REFERENCES stint,
    -- What the root was: the identity of its file system, and its inode.
    root         TEXT    NOT NULL,
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    ctime_ns     INTEGER NOT NULL,
    inode        INTEGER NOT NULL,
    -- Where the bytes came from so far, as that of a span.
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 4),
    -- The saved states of the algorithms, one after the other, each behind its length of four bytes.
    states       BLOB    NOT NULL,
    PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;

-- Findings of a run that may still be held: they become findings, or new versions, when it ends.
CREATE TABLE withheld (
    item         INTEGER PRIMARY KEY,
    run          INTEGER NOT NULL REFERENCES run,
    verdict      INTEGER NOT NULL,
    size         INTEGER,
    mtime_ns     INTEGER,
    ctime_ns     INTEGER,
    inode        INTEGER,
    digests      BLOB,
    reading      INTEGER,
    detail       TEXT    NOT NULL DEFAULT '',
    -- The stint that read its first byte.
    stint        INTEGER NOT NULL REFERENCES stint
) STRICT;
CREATE INDEX withheld_of_run ON withheld (run, item);
