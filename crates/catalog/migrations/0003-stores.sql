-- How the store is reached in which a collection lies, as JSON: nothing of it is secret. Of a tree of files nothing is said.
ALTER TABLE collection ADD COLUMN store TEXT NOT NULL DEFAULT '{}';

-- A fifth kind of reading: from a store on the network.
CREATE TABLE span_of_five (
    collection   INTEGER NOT NULL REFERENCES collection,
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL CHECK (last >= first),
    stint        INTEGER NOT NULL REFERENCES stint,
    -- Where the bytes came from: 1 device, 2 cache, 3 unknown, 4 provider, 5 network.
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 5),
    PRIMARY KEY (collection, first)
) STRICT, WITHOUT ROWID;
INSERT INTO span_of_five (collection, first, last, stint, reading) SELECT collection, first, last, stint, reading FROM span;
DROP TABLE span;
ALTER TABLE span_of_five RENAME TO span;
CREATE INDEX span_by_age ON span (collection, stint, first);
