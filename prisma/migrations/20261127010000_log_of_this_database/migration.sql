-- The oldest open transaction that can still write to this database. A server numbers the transactions of all its databases
-- together, and a snapshot lists all of them. PostgreSQL shows the transaction of a session to its own role, to superusers,
-- and to members of pg_read_all_stats. The owner has one of these rights more often than the role of a request. What is not
-- shown counts as a transaction of this database.
CREATE FUNCTION oldest_open_xid() RETURNS xid8 LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
  snapshot pg_catalog.pg_snapshot := pg_catalog.pg_current_snapshot();
  oldest pg_catalog.xid8;
BEGIN
  SELECT open.xid INTO oldest FROM pg_catalog.pg_snapshot_xip(snapshot) AS open (xid)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_stat_activity AS session
    WHERE session.backend_xid OPERATOR(pg_catalog.=) open.xid::pg_catalog.xid
      AND session.datname OPERATOR(pg_catalog.<>) pg_catalog.current_database()
  )
  ORDER BY open.xid LIMIT 1;
  RETURN coalesce(oldest, pg_catalog.pg_snapshot_xmax(snapshot));
END $$;

-- The position of the oldest open transaction.
CREATE OR REPLACE FUNCTION log_xmin() RETURNS xid8 LANGUAGE sql STABLE RETURN log_position(oldest_open_xid());
