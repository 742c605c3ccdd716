ALTER TABLE "conversation" ADD COLUMN "assignee_id" UUID;

ALTER TABLE "timeline_item" ADD COLUMN "waited_since" TIMESTAMPTZ(3);

CREATE TABLE "conversation_note" (
    "environment_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "conversation_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "author" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_note_pkey" PRIMARY KEY ("environment_id","id")
);

CREATE INDEX "conversation_note_environment_id_conversation_id_created_at_idx" ON "conversation_note"("environment_id", "conversation_id", "created_at", "id");

ALTER TABLE "conversation_note" ADD CONSTRAINT "conversation_note_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE "conversation_note" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "conversation_note" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
