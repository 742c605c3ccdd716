-- AlterTable
ALTER TABLE "timeline_item" ADD COLUMN     "answered_by" UUID;

-- The list of waiting calls reads only this index and the runs. It has a few rows at a time.
CREATE INDEX "timeline_item_pending" ON "timeline_item"("environment_id", "created_at", "id") WHERE (kind = 'client_tool' AND status = 'pending');
