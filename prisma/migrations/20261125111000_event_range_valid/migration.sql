-- parley: outside a transaction
ALTER TABLE "event" VALIDATE CONSTRAINT "event_first_range";
