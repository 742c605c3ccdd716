-- AlterTable
ALTER TABLE "idempotency_record" DROP COLUMN "response_body",
DROP COLUMN "response_status",
ADD COLUMN     "answer" JSONB,
ADD COLUMN     "effect" JSONB,
ADD COLUMN     "lease_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "lease_owner" UUID;
