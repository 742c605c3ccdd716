-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "emailed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "membership" ADD COLUMN     "accepts_password" BOOLEAN;

-- AlterTable
ALTER TABLE "user_account" ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3),
ALTER COLUMN "password_hash" DROP NOT NULL;
