-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "allowed_ip_ranges" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "deployment_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_refused_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_used_address" TEXT,
ADD COLUMN     "previous_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "previous_token_hash" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "api_key_previous_token_hash_key" ON "api_key"("previous_token_hash");

ALTER TABLE "api_key" ADD CONSTRAINT "api_key_previous_secret"
  CHECK ((previous_token_hash IS NULL) = (previous_expires_at IS NULL));
