-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "input_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "output_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "response_time_ms" INTEGER,
ADD COLUMN     "turns" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "usage_model" TEXT;

-- AlterTable
ALTER TABLE "workflow_log" ADD COLUMN     "counted" BOOLEAN NOT NULL DEFAULT false;

-- An earlier release can still write lines while it is replaced. It does not add them to the usage.
CREATE FUNCTION workflow_log_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "conversation" SET
    usage_model = CASE WHEN turns = 0 OR usage_model = NEW.model THEN NEW.model END,
    turns = turns + 1, failures = failures + CASE WHEN NEW.outcome = 'failed' THEN 1 ELSE 0 END,
    input_tokens = input_tokens + NEW.input_tokens, output_tokens = output_tokens + NEW.output_tokens,
    response_time_ms = greatest(response_time_ms, NEW.response_time_ms)
  WHERE id = NEW.conversation_id;
  RETURN NULL;
END $$;

CREATE TRIGGER workflow_log_uncounted AFTER INSERT ON "workflow_log"
  FOR EACH ROW WHEN (NEW.conversation_id IS NOT NULL AND NOT NEW.counted) EXECUTE FUNCTION workflow_log_uncounted();

-- The new columns are no change that a follower of the list needs to see.
ALTER TABLE "conversation" DISABLE TRIGGER conversation_written;
UPDATE "conversation" c SET
  turns = l.turns, failures = l.failures, input_tokens = l.input_tokens, output_tokens = l.output_tokens,
  response_time_ms = l.response_time_ms, usage_model = l.usage_model
FROM (
  SELECT conversation_id, count(*) AS turns, count(*) FILTER (WHERE outcome = 'failed') AS failures,
         sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, max(response_time_ms) AS response_time_ms,
         CASE WHEN min(model) = max(model) THEN min(model) END AS usage_model
  FROM "workflow_log" WHERE conversation_id IS NOT NULL GROUP BY conversation_id
) AS l
WHERE c.id = l.conversation_id;
ALTER TABLE "conversation" ENABLE TRIGGER conversation_written;

-- The real cost, in units of `cpu_operator_cost`. PostgreSQL then combines indexes instead of reading messages word by word.
ALTER FUNCTION "message_words"(jsonb) COST 10000;
