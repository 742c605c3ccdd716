-- parley: outside a transaction
ALTER TABLE "budget" VALIDATE CONSTRAINT "budget_environment_id_conversation_id_fkey";
