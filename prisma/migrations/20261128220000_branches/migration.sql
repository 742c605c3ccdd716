-- Off for deployments that exist, on for new ones.
ALTER TABLE "deployment" ADD COLUMN "allow_editing" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "deployment" ALTER COLUMN "allow_editing" SET DEFAULT true;
ALTER TABLE "conversation" ADD COLUMN "forked_from" UUID;
ALTER TABLE "conversation" ADD COLUMN "forked_from_item" BIGINT;
ALTER TABLE "timeline_item" ADD COLUMN "superseded_by" BIGINT;
ALTER TABLE "timeline_item" ADD COLUMN "superseded_in" BIGINT;
ALTER TABLE "timeline_item" ADD COLUMN "variant_of" BIGINT;
ALTER TABLE "timeline_item" ADD COLUMN "prior_effects" JSONB;
