-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "end_user" TEXT;

-- CreateTable
CREATE TABLE "end_user_token" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "end_user" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "end_user_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "end_user_token_token_hash_key" ON "end_user_token"("token_hash");

-- CreateIndex
CREATE INDEX "end_user_token_environment_id_end_user_idx" ON "end_user_token"("environment_id", "end_user");

-- CreateIndex
CREATE INDEX "end_user_token_environment_id_expires_at_idx" ON "end_user_token"("environment_id", "expires_at");

-- CreateIndex
CREATE INDEX "end_user_token_deployment_id_idx" ON "end_user_token"("deployment_id");

-- CreateIndex
CREATE INDEX "conversation_of_end_user" ON "conversation"("environment_id", "end_user", "updated_at", "id") WHERE (end_user IS NOT NULL);

-- AddForeignKey
ALTER TABLE "end_user_token" ADD CONSTRAINT "end_user_token_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "end_user_token" ADD CONSTRAINT "end_user_token_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "end_user_token" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "end_user_token" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

-- A conversation never gets another owner.
CREATE FUNCTION conversation_owner_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'conversation.end_user cannot be changed';
END $$;

CREATE TRIGGER conversation_owner_changed BEFORE UPDATE OF end_user ON "conversation"
  FOR EACH ROW WHEN (NEW.end_user IS DISTINCT FROM OLD.end_user) EXECUTE FUNCTION conversation_owner_changed();
