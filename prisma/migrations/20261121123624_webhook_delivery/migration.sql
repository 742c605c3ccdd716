-- DropForeignKey
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_endpoint_id_fkey";

-- DropIndex
DROP INDEX "integration_environment_id_idx";

-- DropIndex
DROP INDEX "webhook_delivery_due";

-- DropIndex
DROP INDEX "webhook_endpoint_environment_id_idx";

-- AlterTable
ALTER TABLE "webhook_delivery" DROP COLUMN "delivered_at",
ADD COLUMN     "finished_at" TIMESTAMPTZ(3),
ADD COLUMN     "lease_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "lease_owner" UUID,
ADD COLUMN     "message_id" TEXT NOT NULL,
ALTER COLUMN "event_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "description" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "position_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "position_xid" xid8 NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
ADD COLUMN     "since" pg_snapshot NOT NULL DEFAULT pg_current_snapshot();

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "delivery_id" BIGINT NOT NULL,
    "response_status" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_attempt_delivery_id_id_idx" ON "webhook_attempt"("delivery_id", "id");

-- CreateIndex
CREATE INDEX "integration_environment_id_connected_at_id_idx" ON "integration"("environment_id", "connected_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_endpoint_id_id_idx" ON "webhook_delivery"("endpoint_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_first" ON "webhook_delivery"("endpoint_id", "attempts", "id") WHERE (status = 'pending');

-- CreateIndex
CREATE INDEX "webhook_delivery_retry" ON "webhook_delivery"("endpoint_id", "next_attempt_at") WHERE (status = 'pending' AND attempts > 0);

-- CreateIndex
CREATE INDEX "webhook_delivery_finished" ON "webhook_delivery"("finished_at") WHERE (status <> 'pending');

-- CreateIndex
CREATE INDEX "webhook_endpoint_environment_id_created_at_id_idx" ON "webhook_endpoint"("environment_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: states that must not exist.
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_pending_has_time"
  CHECK (status <> 'pending' OR next_attempt_at IS NOT NULL);
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_finished_has_time"
  CHECK ((status = 'pending') = (finished_at IS NULL));
