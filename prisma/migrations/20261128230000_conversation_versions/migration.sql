ALTER TABLE "conversation" ADD COLUMN "workflow_version" INTEGER;
ALTER TABLE "deployment" ADD COLUMN "keeps_versions" BOOLEAN NOT NULL DEFAULT false;
