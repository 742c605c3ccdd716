-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "background_runs" INTEGER;

-- AlterTable
ALTER TABLE "queued_turn" ADD COLUMN     "attempts_left" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "background" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "history_limit" INTEGER NOT NULL DEFAULT 5,
ADD COLUMN     "tools" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "attempts_left" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "background" BOOLEAN NOT NULL DEFAULT false;

-- A running run without an owner is in the queue.
ALTER TABLE "run" DROP CONSTRAINT "run_running_has_lease";
ALTER TABLE "run" ADD CONSTRAINT "run_lease_has_owner"
  CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL));
