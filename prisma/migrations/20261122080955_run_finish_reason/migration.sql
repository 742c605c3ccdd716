-- AlterTable
ALTER TABLE "run" ADD COLUMN     "finish_reason" TEXT;
