import { RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';

/** The topic that wakes every process: a run is in the queue. */
export const QUEUED_RUNS = 'queued-runs';

/** The condition that a running run has no owner, so that any process can take it. */
export const IS_QUEUED = Prisma.sql`run.status = 'running' AND run.lease_expires_at IS NULL`;

/** The changes of a run that returns to the queue. Its last owner can write nothing more. */
export const RETURNED = Prisma.sql`${NO_LEASE}, fence = run.fence + 1, updated_at = now()`;

/**
 * The calls `i` that wait until a budget has room. Literals, as in the partial index for them: a plan for any values could not
 * use it.
 */
export const WAITS_FOR_BUDGET = Prisma.sql`i.kind = 'client_tool' AND i.status = 'pending' AND i.name = ${Prisma.raw(`'${RAISE_BUDGET_TOOL}'`)}`;
