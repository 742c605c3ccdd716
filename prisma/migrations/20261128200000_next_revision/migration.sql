-- The next revision of a timeline item. PostgreSQL inlines the function. A distributed database replaces it: there, the server
-- of the row assigns the revision (src/db/distribute/replacements.ts).
CREATE FUNCTION next_revision() RETURNS bigint LANGUAGE sql VOLATILE RETURN nextval('timeline_revision');
