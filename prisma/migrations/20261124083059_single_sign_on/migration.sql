-- AlterTable
ALTER TABLE "session" ADD COLUMN     "single_sign_on" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "sso_provider" (
    "workspace_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_client_secret" BYTEA NOT NULL,
    "role_claim" TEXT,
    "role_map" JSONB NOT NULL DEFAULT '[]',
    "default_role" "role" NOT NULL,
    "jit_membership" BOOLEAN NOT NULL,
    "required" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sso_provider_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "sign_in_domain" (
    "domain" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_domain_pkey" PRIMARY KEY ("domain")
);

-- CreateTable
CREATE TABLE "sso_identity" (
    "workspace_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sso_identity_pkey" PRIMARY KEY ("workspace_id","issuer","subject")
);

-- CreateTable
CREATE TABLE "used_sign_in_state" (
    "state_hash" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_sign_in_state_pkey" PRIMARY KEY ("state_hash")
);

-- CreateTable
CREATE TABLE "password_reset" (
    "token_hash" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_reset_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "sign_in_domain_workspace_id_idx" ON "sign_in_domain"("workspace_id");

-- CreateIndex
CREATE UNIQUE INDEX "sso_identity_workspace_id_user_id_issuer_key" ON "sso_identity"("workspace_id", "user_id", "issuer");

-- CreateIndex
CREATE INDEX "used_sign_in_state_expires_at_idx" ON "used_sign_in_state"("expires_at");

-- CreateIndex
CREATE INDEX "password_reset_user_id_idx" ON "password_reset"("user_id");

-- AddForeignKey
ALTER TABLE "sso_provider" ADD CONSTRAINT "sso_provider_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_domain" ADD CONSTRAINT "sign_in_domain_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sso_identity" ADD CONSTRAINT "sso_identity_workspace_id_user_id_fkey" FOREIGN KEY ("workspace_id", "user_id") REFERENCES "membership"("workspace_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "used_sign_in_state" ADD CONSTRAINT "used_sign_in_state_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_reset" ADD CONSTRAINT "password_reset_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "sso_provider" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sso_provider" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

ALTER TABLE "sign_in_domain" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sign_in_domain" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

ALTER TABLE "sso_identity" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sso_identity" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

ALTER TABLE "used_sign_in_state" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "used_sign_in_state" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

-- The rows belong to a user. The policy of the user decides.
ALTER TABLE "password_reset" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "password_reset" USING (EXISTS (SELECT FROM user_account u WHERE u.id = password_reset.user_id));
