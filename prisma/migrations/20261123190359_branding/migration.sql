-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "branding" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "deployment_logo" (
    "deployment_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "picture" BYTEA NOT NULL,

    CONSTRAINT "deployment_logo_pkey" PRIMARY KEY ("deployment_id")
);

-- AddForeignKey
ALTER TABLE "deployment_logo" ADD CONSTRAINT "deployment_logo_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "deployment_logo" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "deployment_logo" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);
