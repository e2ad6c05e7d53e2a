-- Every row has a checksum, and one log tells all that happens, in an order that never changes.
--
-- `row_sum` is over all other columns of a row. The program that makes this version of an earlier one computes them when it has done the
-- rest. Of items, which are too many, each segment has the sum of the checksums, modulo 2^64.

-- What SQLite has counted of the tables to choose its ways: each question has an index of its own, and these rows have no checksums.
DROP TABLE IF EXISTS sqlite_stat1;
DROP TABLE IF EXISTS sqlite_stat4;

-- Numbers that are given out once, also after a purge: the next one of each kind.
CREATE TABLE counter (
    name         TEXT    PRIMARY KEY,
    next         INTEGER NOT NULL,
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, next) SELECT 'leaf', number FROM next_leaf;
INSERT INTO counter (name, next) SELECT 'event', coalesce(max(id), 0) + 1 FROM event;
DROP TABLE next_leaf;

-- Since when a collection does not let itself be read, nobody has judged it, and its promise is broken, if that is so and was told.
ALTER TABLE collection ADD COLUMN refused_s INTEGER;
ALTER TABLE collection ADD COLUMN silent_s INTEGER;
ALTER TABLE collection ADD COLUMN late_s INTEGER;
ALTER TABLE collection ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

-- By what way it was asked for, and by which user of the system: 0 is not known, 1 a command, 2 a timer, 3 Python. And what stood when it
-- ended: a JSON object.
ALTER TABLE run ADD COLUMN way INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN uid INTEGER;
ALTER TABLE run ADD COLUMN standing TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

-- How far it is, and when that was so. Phases: 0 is not known, 1 listing, 2 reading, 3 reading again, 4 ending.
ALTER TABLE stint ADD COLUMN phase INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stint ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stint ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stint ADD COLUMN planned_bytes INTEGER;
ALTER TABLE stint ADD COLUMN bytes_per_second INTEGER;
ALTER TABLE stint ADD COLUMN progress_s INTEGER;
ALTER TABLE stint ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

ALTER TABLE directory ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

ALTER TABLE segment ADD COLUMN items_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segment ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

ALTER TABLE version ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE read_version ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE span ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE total ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE unlisted ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkpoint ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE withheld ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE evidence ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statement ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ignored ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE missed ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE in_use ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;

-- When its line was written, if it was. What was recorded so far counts as told.
ALTER TABLE finding ADD COLUMN told_s INTEGER;
ALTER TABLE finding ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;
UPDATE finding SET told_s = seen_s;

-- What happened to a file, to a collection or to the catalogue, for ever. `id` is from `counter`, and so are those of `edit`.
CREATE TABLE event_in_order (
    id           INTEGER PRIMARY KEY,
    -- 0 belongs to the history of a file alone; 1 a finding, 2 recovered, 3 a decision, 4 a change, 5 a run begun, 6 a run ended, 7 held,
    -- 8 offline, 9 refused, 10 silent, 11 late, 12 a move or a copy that is welcome.
    kind         INTEGER NOT NULL,
    -- Null: the catalogue itself, or a collection that was purged since.
    collection   INTEGER REFERENCES collection,
    item         INTEGER,
    run          INTEGER REFERENCES run,
    at_s         INTEGER NOT NULL,
    actor        TEXT    NOT NULL,
    -- One word.
    what         TEXT    NOT NULL,
    reason       TEXT    NOT NULL DEFAULT '',
    -- The other item of a move or a copy.
    other        INTEGER,
    detail       TEXT    NOT NULL DEFAULT '',
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO event_in_order (id, kind, collection, item, run, at_s, actor, what, reason, other, detail)
    SELECT id, CASE
        WHEN what IN ('accepted', 'acknowledged') THEN 3
        WHEN what IN ('recovered', 'withdrawn', 'settled') THEN 2
        WHEN what IN ('moved', 'copied') AND other IS NOT NULL THEN 12
        WHEN what IN ('back', 'gone', 'ignored') OR other IS NOT NULL THEN 0
        ELSE 1 END,
    collection, item, run, at_s, actor, what, reason, other, detail FROM event;
DROP TABLE event;
ALTER TABLE event_in_order RENAME TO event;
CREATE INDEX event_of_item ON event (item, id) WHERE item IS NOT NULL;
CREATE INDEX event_of_collection ON event (collection, id);
CREATE INDEX event_of_kind ON event (kind, id);
CREATE INDEX event_of_actor ON event (actor, id);
CREATE INDEX event_by_time ON event (at_s, id);

-- What an event of the kind 4 has changed.
CREATE TABLE change (
    event        INTEGER PRIMARY KEY REFERENCES event,
    -- What the collection was called then; empty: it is about the catalogue.
    name         TEXT    NOT NULL,
    way          INTEGER NOT NULL,
    uid          INTEGER,
    -- JSON objects of what differs.
    was          TEXT    NOT NULL DEFAULT '{}',
    becomes      TEXT    NOT NULL DEFAULT '{}',
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Files that are new or edited where that is welcome: those of the last audits.
CREATE TABLE edit (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    item         INTEGER NOT NULL,
    run          INTEGER NOT NULL REFERENCES run,
    at_s         INTEGER NOT NULL,
    verdict      INTEGER NOT NULL,
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX edit_of_run ON edit (run, id);
CREATE INDEX edit_of_collection ON edit (collection, id);
CREATE INDEX edit_of_item ON edit (item, id);

-- Decisions that wait until an audit that is under way, or the next one who writes, carries them out.
CREATE TABLE pending (
    id           INTEGER PRIMARY KEY,
    collection   INTEGER NOT NULL REFERENCES collection,
    -- 1 to accept, 2 to acknowledge.
    what         INTEGER NOT NULL CHECK (what IN (1, 2)),
    actor        TEXT    NOT NULL,
    way          INTEGER NOT NULL,
    uid          INTEGER,
    reason       TEXT    NOT NULL,
    at_s         INTEGER NOT NULL,
    until_s      INTEGER,
    -- When it was carried out, and in which run; null while it waits.
    done_s       INTEGER,
    run          INTEGER REFERENCES run,
    row_sum      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX pending_of_collection ON pending (collection, id) WHERE done_s IS NULL;

-- The findings that such a decision is about, as they were when it was made.
CREATE TABLE pending_item (
    pending      INTEGER NOT NULL REFERENCES pending,
    item         INTEGER NOT NULL,
    verdict      INTEGER NOT NULL,
    since_s      INTEGER NOT NULL,
    size         INTEGER,
    mtime_ns     INTEGER,
    ctime_ns     INTEGER,
    inode        INTEGER,
    digests      BLOB,
    -- 1 carried out, 2 refused: something else stands against it by now.
    outcome      INTEGER,
    row_sum      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (pending, item)
) STRICT, WITHOUT ROWID;
