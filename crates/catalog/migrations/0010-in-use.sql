-- Files that the page cache has not let go of: at how many audits in a row, and which run was the last of these.
CREATE TABLE in_use (
    item         INTEGER PRIMARY KEY,
    audits       INTEGER NOT NULL,
    run          INTEGER NOT NULL REFERENCES run
) STRICT;

-- More kinds of reading: where no reading of the device can be had.
CREATE TABLE span_of_eleven (
    collection   INTEGER NOT NULL REFERENCES collection,
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL CHECK (last >= first),
    stint        INTEGER NOT NULL REFERENCES stint,
    -- Where the bytes came from: 1 device, 2 cache, 3 unknown, 4 provider, 5 network; 6: not read since it was replaced; 7 beside the
    -- metadata, 8 a file system whose cache cannot be seen, 9 a kernel that does not tell of its cache, 10 memory, 11 the cache, which does
    -- not let go of it.
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 11),
    PRIMARY KEY (collection, first)
) STRICT, WITHOUT ROWID;
INSERT INTO span_of_eleven (collection, first, last, stint, reading) SELECT collection, first, last, stint, reading FROM span;
DROP TABLE span;
ALTER TABLE span_of_eleven RENAME TO span;
CREATE INDEX span_by_age ON span (collection, stint, first);

CREATE TABLE checkpoint_of_eleven (
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
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 11),
    -- The saved states of the algorithms, one after the other, each behind its length of four bytes.
    states       BLOB    NOT NULL,
    PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;
INSERT INTO checkpoint_of_eleven (collection, path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states)
    SELECT collection, path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states FROM checkpoint;
DROP TABLE checkpoint;
ALTER TABLE checkpoint_of_eleven RENAME TO checkpoint;
