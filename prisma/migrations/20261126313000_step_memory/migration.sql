-- AlterTable
ALTER TABLE "timeline_item" ADD COLUMN     "sealed_memory" BYTEA;
