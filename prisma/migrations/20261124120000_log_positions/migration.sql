-- Positions in the event log are transaction IDs plus an offset. Another server has other transaction IDs: after a restore
-- the service raises the offset by replacing these two functions, so positions never go back (src/db/log-positions.ts).
-- The offset is the body of a function, because PostgreSQL inlines it: it costs no read of a table.
CREATE FUNCTION log_offset() RETURNS bigint LANGUAGE sql STABLE RETURN 0::bigint;

-- The server that the offset belongs to: system identifier and timeline. Null before the first start.
CREATE FUNCTION log_server() RETURNS text LANGUAGE sql STABLE RETURN NULL::text;

CREATE FUNCTION log_position(xid xid8) RETURNS xid8 LANGUAGE sql STABLE
  RETURN (xid::text::bigint + log_offset())::text::xid8;

-- The position of what the current transaction writes.
CREATE FUNCTION log_xid() RETURNS xid8 LANGUAGE sql STABLE RETURN log_position(pg_current_xact_id());

-- The position of the oldest transaction that is still open.
CREATE FUNCTION log_xmin() RETURNS xid8 LANGUAGE sql STABLE
  RETURN log_position(pg_snapshot_xmin(pg_current_snapshot()));

-- The current snapshot, as positions.
CREATE FUNCTION log_snapshot() RETURNS pg_snapshot LANGUAGE sql STABLE
  RETURN (
    SELECT concat_ws(':', log_position(pg_snapshot_xmin(now)), log_position(pg_snapshot_xmax(now)),
                     (SELECT coalesce(string_agg(log_position(xip)::text, ',' ORDER BY xip), '')
                      FROM pg_snapshot_xip(now) AS xip))::pg_snapshot
    FROM pg_current_snapshot() AS now
  );

-- AlterTable
ALTER TABLE "event" ALTER COLUMN "xid" SET DEFAULT log_xid();

-- AlterTable
ALTER TABLE "conversation" ALTER COLUMN "xid" SET DEFAULT log_xid();

-- AlterTable
ALTER TABLE "webhook_endpoint" ALTER COLUMN "position_xid" SET DEFAULT log_xmin(),
ALTER COLUMN "since" SET DEFAULT log_snapshot();

CREATE OR REPLACE FUNCTION conversation_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.xid := log_xid();
  RETURN NEW;
END $$;
