-- Which version of an object has the content that is known of it, by the name that its store has for that version.
CREATE TABLE read_version (
    item         INTEGER PRIMARY KEY,
    version      TEXT    NOT NULL
) STRICT;

-- The same of what was found instead: it may become what is known.
ALTER TABLE finding ADD COLUMN version TEXT;
ALTER TABLE withheld ADD COLUMN version TEXT;

-- Where the collection lay when a report was imported: it is about that place.
ALTER TABLE evidence ADD COLUMN root BLOB;
