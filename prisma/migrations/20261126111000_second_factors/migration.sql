-- CreateEnum
CREATE TYPE "second_factor_kind" AS ENUM ('totp', 'passkey');

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "second_factor" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "second_factor_required" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "second_factor" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" "second_factor_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_secret" BYTEA,
    "last_step" INTEGER,
    "credential_id" TEXT,
    "public_key" BYTEA,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[],
    "challenge" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "user_id" UUID NOT NULL,
    "code_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("user_id","code_hash")
);

-- CreateTable
CREATE TABLE "sign_in_ticket" (
    "token_hash" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "challenge" TEXT,
    "enrolled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_ticket_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "second_factor_credential_id_key" ON "second_factor"("credential_id");

-- CreateIndex
CREATE INDEX "second_factor_user_id_idx" ON "second_factor"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_ticket_workspace_id_user_id_idx" ON "sign_in_ticket"("workspace_id", "user_id");

-- CreateIndex
CREATE INDEX "sign_in_ticket_expires_at_idx" ON "sign_in_ticket"("expires_at");

-- AddForeignKey
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_ticket" ADD CONSTRAINT "sign_in_ticket_workspace_id_user_id_fkey" FOREIGN KEY ("workspace_id", "user_id") REFERENCES "membership"("workspace_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The rows belong to a user. The policy of the user decides.
ALTER TABLE "second_factor" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "second_factor" USING (EXISTS (SELECT FROM user_account u WHERE u.id = second_factor.user_id));

ALTER TABLE "recovery_code" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "recovery_code" USING (EXISTS (SELECT FROM user_account u WHERE u.id = recovery_code.user_id));

ALTER TABLE "sign_in_ticket" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sign_in_ticket" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);
