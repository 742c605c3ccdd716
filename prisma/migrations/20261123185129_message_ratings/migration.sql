-- CreateEnum
CREATE TYPE "rating_value" AS ENUM ('up', 'down');

-- AlterTable
ALTER TABLE "timeline_item" ADD COLUMN     "rated_at" TIMESTAMPTZ(3),
ADD COLUMN     "rating" "rating_value",
ADD COLUMN     "rating_comment" TEXT;

-- Only replies have ratings. NOT VALID, because no stored row has one, and a check of a large table would block writers.
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_rating" CHECK (
  (rating IS NULL AND rating_comment IS NULL AND rated_at IS NULL)
  OR (rating IS NOT NULL AND rated_at IS NOT NULL AND kind = 'message' AND role = 'assistant')
) NOT VALID;

-- The report of a period reads the first index, the list of conversations the second.
CREATE INDEX "timeline_item_rated" ON "timeline_item"("environment_id", "rated_at") WHERE (rating IS NOT NULL);

-- CreateIndex
CREATE INDEX "timeline_item_ratings" ON "timeline_item"("conversation_id") WHERE (rating IS NOT NULL);
