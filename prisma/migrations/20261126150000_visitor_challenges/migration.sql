-- CreateEnum
CREATE TYPE "start_challenge" AS ENUM ('off', 'proof_of_work', 'provider');

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "challenge" "start_challenge" NOT NULL DEFAULT 'off',
ADD COLUMN     "visitor_turns_per_day" INTEGER,
ADD COLUMN     "visitor_turns_per_hour" INTEGER;
