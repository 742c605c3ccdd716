-- parley: outside a transaction
ALTER TABLE "webhook_delivery" VALIDATE CONSTRAINT "webhook_delivery_event_id_fkey";
