-- AlterTable
ALTER TABLE "budget" ADD COLUMN     "expires_after_seconds" INTEGER,
ADD COLUMN     "on_expiry" JSONB,
ADD COLUMN     "raised" DECIMAL(38,12) NOT NULL DEFAULT 0;
