import type pg from 'pg';

/**
 * Lets the database record each change of a run's owner or status, and each forbidden change: of a stored result, or of a
 * final status. A client that polls would miss short owners.
 */
export async function recordChanges(database: pg.Pool): Promise<void> {
  await database.query(`
    CREATE SCHEMA torture;
    CREATE TABLE torture.owner_change (
      id bigserial PRIMARY KEY, at_ms float8 NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000,
      run_id uuid NOT NULL, fence int NOT NULL, owner uuid, status text NOT NULL, attempts_left int NOT NULL, request_id text);
    CREATE TABLE torture.forbidden_change (kind text NOT NULL, before jsonb NOT NULL, after jsonb NOT NULL);

    CREATE FUNCTION torture.record_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO torture.owner_change (run_id, fence, owner, status, attempts_left, request_id)
      VALUES (NEW.id, NEW.fence, NEW.lease_owner, NEW.status, NEW.attempts_left,
              CASE TG_OP WHEN 'INSERT' THEN NEW.request_id END);
      RETURN NULL;
    END $$;
    CREATE TRIGGER torture_new_run AFTER INSERT ON run FOR EACH ROW EXECUTE FUNCTION torture.record_owner();
    CREATE TRIGGER torture_moved_run AFTER UPDATE ON run FOR EACH ROW
      WHEN ((OLD.lease_owner, OLD.fence, OLD.status) IS DISTINCT FROM (NEW.lease_owner, NEW.fence, NEW.status))
      EXECUTE FUNCTION torture.record_owner();

    CREATE FUNCTION torture.record_forbidden() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO torture.forbidden_change VALUES (TG_ARGV[0], to_jsonb(OLD), to_jsonb(NEW));
      RETURN NULL;
    END $$;
    CREATE TRIGGER torture_result AFTER UPDATE ON timeline_item FOR EACH ROW
      WHEN ((OLD.output IS NOT NULL AND OLD.output IS DISTINCT FROM NEW.output)
        OR (OLD.status NOT IN ('running', 'pending') AND (OLD.status, OLD.output) IS DISTINCT FROM (NEW.status, NEW.output)))
      EXECUTE FUNCTION torture.record_forbidden('result');
    CREATE TRIGGER torture_status AFTER UPDATE ON run FOR EACH ROW
      WHEN (OLD.status IN ('completed', 'interrupted', 'failed', 'expired') AND OLD.status <> NEW.status)
      EXECUTE FUNCTION torture.record_forbidden('status');`);
}
