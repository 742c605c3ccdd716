-- CreateTable
CREATE TABLE "connected_app" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "environment" "environment_kind" NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "client_host" TEXT,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connected_app_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authorization_record" (
    "id_hash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "app_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "authorization_record_pkey" PRIMARY KEY ("id_hash")
);

-- CreateIndex
CREATE INDEX "connected_app_workspace_id_user_id_idx" ON "connected_app"("workspace_id", "user_id");

-- CreateIndex
CREATE INDEX "connected_app_expires_at_idx" ON "connected_app"("expires_at");

-- CreateIndex
CREATE INDEX "authorization_record_app_id_idx" ON "authorization_record"("app_id");

-- CreateIndex
CREATE INDEX "authorization_record_expires_at_idx" ON "authorization_record"("expires_at");

-- AddForeignKey
ALTER TABLE "connected_app" ADD CONSTRAINT "connected_app_workspace_id_user_id_fkey" FOREIGN KEY ("workspace_id", "user_id") REFERENCES "membership"("workspace_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorization_record" ADD CONSTRAINT "authorization_record_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "connected_app"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "connected_app" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "connected_app" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

-- The rows belong to an app. The policy of the app decides. A request without an app belongs to no workspace.
ALTER TABLE "authorization_record" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "authorization_record" USING (EXISTS (SELECT FROM connected_app a WHERE a.id = authorization_record.app_id));
