-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "has_budgets" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "time_zone" TEXT NOT NULL DEFAULT 'UTC';

-- CreateTable
CREATE TABLE "budget" (
    "environment_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "deployment_id" UUID,
    "conversation_id" UUID,
    "end_user" TEXT,
    "period" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "amount" DECIMAL(38,12) NOT NULL,
    "warn_at" DECIMAL(4,3),
    "on_reached" TEXT NOT NULL,
    "spent" DECIMAL(38,12) NOT NULL DEFAULT 0,
    "reserved" DECIMAL(38,12) NOT NULL DEFAULT 0,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "warned_at" TIMESTAMPTZ(3),
    "reached_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "budget_reservation" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "budget_id" TEXT NOT NULL,
    "work_id" UUID NOT NULL,
    "fence" INTEGER,
    "amount" DECIMAL(38,12) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_reservation_pkey" PRIMARY KEY ("environment_id","budget_id","id")
);

-- CreateIndex
CREATE INDEX "budget_environment_id_conversation_id_idx" ON "budget"("environment_id", "conversation_id");

-- CreateIndex
CREATE INDEX "budget_deployment_id_idx" ON "budget"("deployment_id");

-- CreateIndex
CREATE UNIQUE INDEX "budget_environment_id_place_period_key" ON "budget"("environment_id", "place", "period");

-- CreateIndex
CREATE INDEX "budget_reservation_environment_id_work_id_idx" ON "budget_reservation"("environment_id", "work_id");

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget_reservation" ADD CONSTRAINT "budget_reservation_environment_id_budget_id_fkey" FOREIGN KEY ("environment_id", "budget_id") REFERENCES "budget"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Every model step of the place changes the row, and none of its indexes.
ALTER TABLE "budget" SET (fillfactor = 50);

ALTER TABLE "budget" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "budget" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

ALTER TABLE "budget_reservation" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "budget_reservation" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
