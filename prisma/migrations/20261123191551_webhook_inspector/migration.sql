-- AlterTable
ALTER TABLE "webhook_attempt" ADD COLUMN     "endpoint_id" TEXT,
ADD COLUMN     "sealed_response" BYTEA;

-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "replay_id" BIGINT;

-- CreateTable
CREATE TABLE "webhook_replay" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "from_time" TIMESTAMPTZ(3) NOT NULL,
    "to_time" TIMESTAMPTZ(3) NOT NULL,
    "only_failed" BOOLEAN NOT NULL,
    "delivery_count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_replay_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_replay_endpoint_id_id_idx" ON "webhook_replay"("endpoint_id", "id");

-- CreateIndex
CREATE INDEX "webhook_replay_created_at_idx" ON "webhook_replay"("created_at");

-- CreateIndex
CREATE INDEX "webhook_attempt_health" ON "webhook_attempt"("endpoint_id", "started_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_period" ON "webhook_delivery"("endpoint_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_replayed" ON "webhook_delivery"("replay_id", "status") WHERE (replay_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "webhook_replay" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "webhook_replay"
  USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
