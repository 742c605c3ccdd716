ALTER TABLE "connected_app" ADD COLUMN "deployment_id" UUID,
ADD COLUMN "end_user" TEXT,
ALTER COLUMN "user_id" DROP NOT NULL;

-- A member allows an app for a workspace, or an end user for a deployment.
ALTER TABLE "connected_app" ADD CONSTRAINT "connected_app_person" CHECK (
  (user_id IS NULL) = (end_user IS NOT NULL) AND (end_user IS NULL) = (deployment_id IS NULL)) NOT VALID;

ALTER TABLE "end_user_issuer" ADD COLUMN "sealed_sign_in_secret" BYTEA,
ADD COLUMN "sign_in_client_id" TEXT;
