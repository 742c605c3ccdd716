-- AlterTable
ALTER TABLE "file" ADD COLUMN     "share_key" TEXT;

-- AlterTable
ALTER TABLE "queued_turn" ADD COLUMN     "share_key" TEXT;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "share_key" TEXT;
