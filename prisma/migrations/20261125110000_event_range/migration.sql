-- The next migrations make the event log a partitioned table, as the audit log did. The present table becomes its first
-- partition. IDs begin with their time (src/db/partitions/periods.ts), so the partition ends with the quarter after the current
-- one: its end is at least three months after this, and above every ID. With this constraint, PostgreSQL does not read the table.
DO $$
DECLARE
  newest text := (SELECT max("id") FROM "event");
  ends timestamp := date_trunc('quarter', now() AT TIME ZONE 'UTC') + interval '6 months';
  bound text;
BEGIN
  LOOP
    SELECT 'evt_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
             ((extract(epoch FROM ends)::bigint * 1000 >> (5 * place)) & 31)::int + 1, 1), '' ORDER BY place DESC)
    INTO bound FROM generate_series(0, 9) AS place;
    -- A clock that was far ahead may have made an ID.
    EXIT WHEN newest IS NULL OR newest < bound OR ends > timestamp '2999-01-01';
    ends := ends + interval '3 months';
  END LOOP;
  EXECUTE format('ALTER TABLE "event" ADD CONSTRAINT "event_first_range" CHECK ("id" < %L) NOT VALID', bound);
END
$$;
