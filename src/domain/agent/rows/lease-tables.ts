import { Prisma } from '../../../db/generated/client.ts';

/** The leases of running runs. */
export const RUN_LEASES = {
  name: Prisma.sql`run`,
  key: Prisma.sql`id`,
  keys: Prisma.sql`uuid[]`,
  active: Prisma.sql`status = 'running'`,
  columns: Prisma.sql`id, interrupted`,
};

/** The leases of messages that wait for their turn. */
export const MESSAGE_LEASES = {
  name: Prisma.sql`queued_turn`,
  key: Prisma.sql`run_id`,
  keys: Prisma.sql`uuid[]`,
  active: Prisma.sql`true`,
  columns: Prisma.sql`run_id AS id`,
};
