-- AlterTable
ALTER TABLE "file" ADD COLUMN     "sent_bytes" BIGINT NOT NULL DEFAULT 0;
