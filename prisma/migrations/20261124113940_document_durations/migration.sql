-- AlterTable
ALTER TABLE "document_calls" ADD COLUMN     "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
