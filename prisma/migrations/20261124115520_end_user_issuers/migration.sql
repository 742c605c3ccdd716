-- CreateTable
CREATE TABLE "end_user_issuer" (
    "environment_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "jwks_url" TEXT NOT NULL,
    "deployment_ids" UUID[],
    "scope_claim" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "end_user_issuer_pkey" PRIMARY KEY ("environment_id")
);

-- CreateTable
CREATE TABLE "revoked_end_user" (
    "environment_id" UUID NOT NULL,
    "end_user_hash" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "revoked_end_user_pkey" PRIMARY KEY ("environment_id","end_user_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "end_user_issuer_id_key" ON "end_user_issuer"("id");

-- CreateIndex
CREATE UNIQUE INDEX "end_user_issuer_issuer_audience_key" ON "end_user_issuer"("issuer", "audience");

-- CreateIndex
CREATE INDEX "revoked_end_user_environment_id_revoked_at_idx" ON "revoked_end_user"("environment_id", "revoked_at");

-- AddForeignKey
ALTER TABLE "end_user_issuer" ADD CONSTRAINT "end_user_issuer_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "revoked_end_user" ADD CONSTRAINT "revoked_end_user_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "end_user_issuer" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "end_user_issuer" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

ALTER TABLE "revoked_end_user" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "revoked_end_user" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
