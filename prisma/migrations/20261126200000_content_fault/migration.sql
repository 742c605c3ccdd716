-- CreateEnum
CREATE TYPE "content_fault" AS ENUM ('missing', 'wrong_size', 'wrong_hash');

-- AlterTable
ALTER TABLE "file_content" ADD COLUMN     "fault" "content_fault";
