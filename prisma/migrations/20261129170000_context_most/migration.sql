-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "context_most" INTEGER NOT NULL DEFAULT 0;
