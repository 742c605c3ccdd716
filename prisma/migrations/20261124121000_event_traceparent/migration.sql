-- AlterTable
ALTER TABLE "event" ADD COLUMN     "traceparent" TEXT;
