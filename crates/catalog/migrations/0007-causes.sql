-- The policy 2, growing: new files are welcome, change is not. And policies of parts of a collection: a JSON list of globs, each with the
-- number of its policy. Later ones win.
ALTER TABLE collection ADD COLUMN policies TEXT NOT NULL DEFAULT '[]';

-- What is known of how a finding came about; null: no more than its verdict says.
ALTER TABLE finding ADD COLUMN cause INTEGER;

-- A sixth kind of reading: none. Another file has taken the place of the one that was read, at the time of the stint, and was not read since.
CREATE TABLE span_of_six (
    collection   INTEGER NOT NULL REFERENCES collection,
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL CHECK (last >= first),
    stint        INTEGER NOT NULL REFERENCES stint,
    -- Where the bytes came from: 1 device, 2 cache, 3 unknown, 4 provider, 5 network; 6: not read since it was replaced.
    reading      INTEGER NOT NULL CHECK (reading BETWEEN 1 AND 6),
    PRIMARY KEY (collection, first)
) STRICT, WITHOUT ROWID;
INSERT INTO span_of_six (collection, first, last, stint, reading) SELECT collection, first, last, stint, reading FROM span;
DROP TABLE span;
ALTER TABLE span_of_six RENAME TO span;
CREATE INDEX span_by_age ON span (collection, stint, first);
