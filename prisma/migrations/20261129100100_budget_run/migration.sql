-- Alone, because the key of runs must exist first.
ALTER TABLE "budget" ADD CONSTRAINT "budget_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "run"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
