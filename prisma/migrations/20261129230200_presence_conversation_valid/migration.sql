-- parley: outside a transaction
ALTER TABLE "conversation_presence" VALIDATE CONSTRAINT "conversation_presence_environment_id_conversation_id_fkey";
