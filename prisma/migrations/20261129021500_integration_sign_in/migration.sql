-- AlterTable
ALTER TABLE "integration" ADD COLUMN     "sealed_sign_in" BYTEA,
ADD COLUMN     "sign_in" JSONB,
ADD COLUMN     "sign_in_version" INTEGER NOT NULL DEFAULT 0;
