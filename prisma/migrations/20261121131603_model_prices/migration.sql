-- CreateTable
CREATE TABLE "model_price" (
    "workspace_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "input_per_million" DECIMAL(18,6) NOT NULL,
    "output_per_million" DECIMAL(18,6) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_price_pkey" PRIMARY KEY ("workspace_id","model")
);

-- AddForeignKey
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
