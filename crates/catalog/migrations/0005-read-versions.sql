-- Which version of an object was read, where a store keeps several.
CREATE TABLE read_version (
    item         INTEGER PRIMARY KEY,
    -- By the name that the store has for it.
    version      TEXT    NOT NULL
) STRICT;
