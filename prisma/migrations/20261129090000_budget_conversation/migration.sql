-- Alone, because the key of conversations must exist first.
ALTER TABLE "budget" ADD CONSTRAINT "budget_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id") REFERENCES "conversation"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
