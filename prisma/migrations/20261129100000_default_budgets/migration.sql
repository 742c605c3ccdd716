-- AlterTable
ALTER TABLE "budget" ADD COLUMN     "is_default" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "run_id" UUID;

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "end_user_budget" JSONB,
ADD COLUMN     "visitor_budget" JSONB;
