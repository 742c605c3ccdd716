-- AlterTable
ALTER TABLE "live_text" ADD COLUMN     "is_reasoning" BOOLEAN NOT NULL DEFAULT false;
