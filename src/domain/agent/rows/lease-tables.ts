import { Prisma } from '../../../db/generated/client.ts';

/** The leases of running runs. */
export const RUN_LEASES = {
  name: Prisma.sql`run`,
  key: Prisma.sql`id`,
  active: Prisma.sql`status = 'running'`,
  isOneOf: (ids: readonly string[]) => Prisma.sql`id = ANY (${[...ids]}::uuid[]) AND status = 'running'`,
  columns: Prisma.sql`id, interrupted`,
};

/** The leases of messages that wait for their turn. */
export const MESSAGE_LEASES = {
  name: Prisma.sql`queued_turn`,
  key: Prisma.sql`run_id`,
  active: Prisma.sql`true`,
  isOneOf: (runIds: readonly string[]) => Prisma.sql`run_id = ANY (${[...runIds]}::uuid[])`,
  columns: Prisma.sql`run_id AS id`,
};
