ALTER TYPE "webhook_disabled_reason" ADD VALUE IF NOT EXISTS 'gone';
