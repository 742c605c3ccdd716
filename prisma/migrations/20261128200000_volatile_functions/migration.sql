-- Volatile functions of statements that change rows. PostgreSQL inlines both. A distributed database replaces them
-- (src/db/distribute/replacements.ts): Citus takes no volatile function in these statements.

-- The next revision of a timeline item.
CREATE FUNCTION next_revision() RETURNS bigint LANGUAGE sql VOLATILE RETURN nextval('timeline_revision');

-- The present time, also after a wait for a lock.
CREATE FUNCTION lease_clock() RETURNS timestamptz LANGUAGE sql VOLATILE RETURN clock_timestamp();
