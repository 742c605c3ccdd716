-- CreateEnum
CREATE TYPE "reader_gone_policy" AS ENUM ('stop', 'continue');

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "on_reader_gone" "reader_gone_policy" NOT NULL DEFAULT 'stop';

-- CreateTable
CREATE TABLE "live_text" (
    "run_id" UUID NOT NULL,
    "fence" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "environment_id" UUID NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "live_text_pkey" PRIMARY KEY ("run_id","fence","step","position")
);

-- AddForeignKey
ALTER TABLE "live_text" ADD CONSTRAINT "live_text_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "live_text" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "live_text" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
