-- AddForeignKey
ALTER TABLE "conversation_presence" ADD CONSTRAINT "conversation_presence_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id") REFERENCES "conversation"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
