-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "xid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- CreateIndex
CREATE INDEX "conversation_environment_id_xid_id_idx" ON "conversation"("environment_id", "xid", "id");

-- Whatever writes the row: a follower must miss no change, whoever makes it.
CREATE FUNCTION conversation_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.xid := pg_current_xact_id();
  RETURN NEW;
END $$;

CREATE TRIGGER conversation_written BEFORE INSERT OR UPDATE ON "conversation"
  FOR EACH ROW EXECUTE FUNCTION conversation_written();
