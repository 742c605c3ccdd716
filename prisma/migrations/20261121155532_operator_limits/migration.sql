-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "requests_per_minute" INTEGER;

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "anonymous_per_minute" INTEGER,
ADD COLUMN     "conversation_turns_per_minute" INTEGER,
ADD COLUMN     "turns_per_minute" INTEGER;

-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "concurrent_runs" INTEGER,
ADD COLUMN     "requests_per_minute" INTEGER;
