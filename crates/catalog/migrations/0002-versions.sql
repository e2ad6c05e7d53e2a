-- All versions of a file in their order, also those of one run; and a name for each collection that never changes, for proofs.

ALTER TABLE collection ADD COLUMN identity BLOB NOT NULL DEFAULT x'';
UPDATE collection SET identity = randomblob(16);

-- What an item was before. `nth` counts from 0 on; the present version has the next number.
CREATE TABLE version_in_order (
    item         INTEGER NOT NULL,
    nth          INTEGER NOT NULL,
    run          INTEGER NOT NULL REFERENCES run,
    size         INTEGER,
    mtime_ns     INTEGER,
    digests      BLOB,
    -- The run that replaced it.
    until_run    INTEGER NOT NULL REFERENCES run,
    PRIMARY KEY (item, nth)
) STRICT, WITHOUT ROWID;
INSERT INTO version_in_order (item, nth, run, size, mtime_ns, digests, until_run)
    SELECT item, row_number() OVER (PARTITION BY item ORDER BY run) - 1, run, size, mtime_ns, digests, until_run FROM version;
DROP TABLE version;
ALTER TABLE version_in_order RENAME TO version;

-- Leaves are numbered when a run is over: two runs may be under way at once. A number is given out once, also after a purge.
CREATE TABLE next_leaf (
    number       INTEGER NOT NULL
) STRICT;
INSERT INTO next_leaf (number) VALUES (0);
UPDATE run SET leaf_base = 0, leaves = 0, merkle_root = NULL;
