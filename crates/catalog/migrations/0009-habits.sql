-- What the place of a collection is like and how its promise is meant, as JSON. What is on record says nothing of it: its
-- place may be away, its first audit may find nothing, and that it is silent alarms nobody.
ALTER TABLE collection ADD COLUMN habits TEXT NOT NULL DEFAULT '{}';
