-- AlterTable
ALTER TABLE "resource" ADD COLUMN     "field_labels" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex
CREATE INDEX "resource_field_labels_idx" ON "resource" USING GIN ("field_labels");
