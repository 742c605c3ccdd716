-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('requested', 'failing');

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "disabled_reason" "webhook_disabled_reason",
ADD COLUMN     "failing_since" TIMESTAMPTZ(3),
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "last_failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_until" TIMESTAMPTZ(3);
