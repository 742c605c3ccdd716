-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "counted_prompt" JSONB;
