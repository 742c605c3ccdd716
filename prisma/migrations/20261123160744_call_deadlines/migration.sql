-- AlterTable
ALTER TABLE "timeline_item" ADD COLUMN     "expired" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "on_expiry" JSONB;

-- CreateIndex
CREATE INDEX "timeline_item_deadlines" ON "timeline_item"("expires_at") WHERE (status = 'pending' AND expires_at IS NOT NULL);
