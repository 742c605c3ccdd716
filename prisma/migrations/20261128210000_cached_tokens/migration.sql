-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "cached_input_tokens" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "model_price" ADD COLUMN     "cache_write_per_million" DECIMAL(18,6),
ADD COLUMN     "cached_input_per_million" DECIMAL(18,6);

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "cache_write_tokens" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "cached_input_tokens" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "trace_span" ADD COLUMN     "cache_write_tokens" INTEGER DEFAULT 0,
ADD COLUMN     "cached_input_tokens" INTEGER DEFAULT 0;

-- AlterTable
ALTER TABLE "workflow_log" ADD COLUMN     "cache_write_tokens" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "cached_input_tokens" INTEGER NOT NULL DEFAULT 0;
