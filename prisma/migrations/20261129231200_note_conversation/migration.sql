-- Alone, because the key of conversations must exist first.
ALTER TABLE "conversation_note" ADD CONSTRAINT "conversation_note_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id") REFERENCES "conversation"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
