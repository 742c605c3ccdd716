-- parley: outside a transaction
ALTER TABLE "conversation_note" VALIDATE CONSTRAINT "conversation_note_environment_id_conversation_id_fkey";
