-- What stood against a file before it was missing or could not be read: its verdict, its cause, and the content that was found then. So
-- far a missing file kept the content of damage as if it had been read: 19 is missing, 14 corrupt.
ALTER TABLE finding ADD COLUMN was INTEGER;
ALTER TABLE finding ADD COLUMN was_cause INTEGER;
ALTER TABLE finding ADD COLUMN was_digests BLOB;
UPDATE finding SET was = 14, was_digests = digests, digests = NULL WHERE verdict = 19 AND digests IS NOT NULL;

-- What was found at a place in each stint; null of those before.
ALTER TABLE stint ADD COLUMN root TEXT;

-- The states of files before a filter left them out. So far they are known of those alone that nobody had accepted: 4 is unaccepted, and
-- 17, 10 and 11 are new, moved and copied; 6 is ignored.
CREATE TABLE ignored (
    item         INTEGER PRIMARY KEY,
    state        INTEGER NOT NULL
) STRICT;
INSERT INTO ignored (item, state)
    SELECT id, CASE WHEN EXISTS (SELECT 1 FROM finding WHERE finding.item = item.id AND cleared_s IS NULL AND verdict IN (17, 10, 11))
        THEN 4 ELSE 0 END
    FROM item WHERE state = 6;

-- Files that were not found and may be new ones that nobody has read yet: since when, and which run said so last.
CREATE TABLE missed (
    item         INTEGER PRIMARY KEY,
    since_s      INTEGER NOT NULL,
    run          INTEGER NOT NULL REFERENCES run
) STRICT;
