-- CreateTable
CREATE TABLE "conversation_count" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "deployment_id" UUID NOT NULL,
    "amount" INTEGER NOT NULL,

    CONSTRAINT "conversation_count_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "conversation_count_environment_id_deployment_id_amount_idx" ON "conversation_count"("environment_id", "deployment_id", "amount");

ALTER TABLE "conversation_count" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "conversation_count" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

-- The sum of the rows is exact in every snapshot, because a row commits with the change that it counts. About one start in
-- 64 also merges the rows of its deployment. It skips rows that another transaction merges, so no start waits for another.
CREATE FUNCTION conversation_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  merged bigint := 0;
BEGIN
  -- At other levels, a row that another transaction has merged would be an error.
  IF random() < 1.0 / 64 AND current_setting('transaction_isolation') = 'read committed' THEN
    WITH earlier AS (
      DELETE FROM "conversation_count" WHERE environment_id = NEW.environment_id AND id IN (
        SELECT id FROM "conversation_count"
        WHERE environment_id = NEW.environment_id AND deployment_id = NEW.deployment_id
        LIMIT 1000 FOR UPDATE SKIP LOCKED)
      RETURNING amount
    )
    SELECT coalesce(sum(amount), 0) INTO merged FROM earlier;
  END IF;
  INSERT INTO "conversation_count" (environment_id, deployment_id, amount)
    VALUES (NEW.environment_id, NEW.deployment_id, 1 + merged);
  RETURN NULL;
END $$;

CREATE FUNCTION conversation_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "conversation_count" (environment_id, deployment_id, amount)
    SELECT environment_id, deployment_id, -count(*) FROM removed GROUP BY environment_id, deployment_id;
  RETURN NULL;
END $$;

CREATE FUNCTION conversation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "conversation_count" (environment_id, deployment_id, amount)
    VALUES (OLD.environment_id, OLD.deployment_id, -1), (NEW.environment_id, NEW.deployment_id, 1);
  RETURN NULL;
END $$;

-- The lock of the first trigger lasts until the counts below are committed, so no conversation is missed.
CREATE TRIGGER conversation_counted AFTER INSERT ON "conversation"
  FOR EACH ROW EXECUTE FUNCTION conversation_counted();
CREATE TRIGGER conversation_uncounted AFTER DELETE ON "conversation"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION conversation_uncounted();
CREATE TRIGGER conversation_moved AFTER UPDATE OF environment_id, deployment_id ON "conversation"
  FOR EACH ROW WHEN ((OLD.environment_id, OLD.deployment_id) IS DISTINCT FROM (NEW.environment_id, NEW.deployment_id))
  EXECUTE FUNCTION conversation_moved();

INSERT INTO "conversation_count" (environment_id, deployment_id, amount)
  SELECT environment_id, deployment_id, count(*) FROM "conversation" GROUP BY environment_id, deployment_id;
