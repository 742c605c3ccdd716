import { CROCKFORD } from '../../contract/ids.ts';
import { Prisma } from '../../db/generated/client.ts';
import { isoTime } from '../../db/iso-time.ts';
import { currentTraceParent } from '../events/trace-parent.ts';
import { newTypeId } from '../type-id.ts';
import { periodEndSql, periodStartSql } from './periods.ts';

interface Holding {
  /** A CTE that takes its locks first. */
  readonly after?: Prisma.Sql;
  /** The name of the CTE, if its statement has another `held`. */
  readonly name?: Prisma.Sql;
}

/**
 * The CTE `held`: budgets, locked in the order of their IDs, so that two statements never wait for each other. `spent`,
 * `raised`, `warned_at` and `reached_at` are those of the current period, and `amount` includes what it was raised by. A slow
 * clock does not begin an earlier period.
 * @param only the condition of the rows of `b`
 */
export function heldBudgets(
  environmentId: string,
  only: Prisma.Sql,
  at: Date,
  { after, name = Prisma.sql`held` }: Holding = {},
): Prisma.Sql {
  const now = Prisma.sql`${at}::timestamptz`;
  const zone = Prisma.sql`e.time_zone`;
  const start = periodStartSql(Prisma.sql`b.period`, now, zone);
  const isOver = Prisma.sql`b.period_start < ${start}`;
  const raised = Prisma.sql`CASE WHEN ${isOver} THEN 0 ELSE b.raised END`;
  return Prisma.sql`${name} AS (
      SELECT b.id, b.place, b.period, b.unit, b.amount + ${raised} AS amount, ${raised} AS raised, b.warn_at, b.on_reached,
             b.expires_after_seconds, b.on_expiry, b.reserved,
             greatest(b.period_start, ${start}) AS period_start, ${periodEndSql(Prisma.sql`b.period`, now, zone)} AS ends_at,
             CASE WHEN ${isOver} THEN 0 ELSE b.spent END AS spent,
             CASE WHEN ${isOver} THEN NULL ELSE b.warned_at END AS warned_at,
             CASE WHEN ${isOver} THEN NULL ELSE b.reached_at END AS reached_at
      FROM budget b JOIN environment e ON e.id = b.environment_id${after ? Prisma.sql`, ${after}` : Prisma.empty}
      WHERE b.environment_id = ${environmentId}::uuid AND e.id = ${environmentId}::uuid AND ${only}
      ORDER BY b.id FOR NO KEY UPDATE OF b
    )`;
}

/**
 * The CTE that writes an event for each budget in `changed` whose columns `is_warned` or `is_reached` say so. The event
 * belongs to the conversation whose step caused it, so that readers get it only on request.
 */
export function budgetEvents(environmentId: string, conversationId: string | null, at: Date): Prisma.Sql {
  // The last two digits number the events of a statement.
  const digit = (value: Prisma.Sql) => Prisma.sql`substr(${CROCKFORD}, ${value} + 1, 1)`;
  const position = Prisma.sql`(row_number() OVER ())::int`;
  const number = Prisma.sql`${digit(Prisma.sql`${position} / 32`)} || ${digit(Prisma.sql`${position} % 32`)}`;
  const id = Prisma.sql`${newTypeId('evt').slice(0, -2)} || ${number}`;
  return Prisma.sql`budget_event AS (
      INSERT INTO event (id, environment_id, conversation_id, type, resource_id, payload, occurred_at, traceparent)
      SELECT ${id}, ${environmentId}::uuid, ${conversationId ?? NOWHERE}::uuid, news.type, changed.id,
             jsonb_build_object('budget_id', changed.id, 'place', substring(changed.place FROM '^[a-z_]+'), 'period', changed.period,
                                'period_ends_at', ${isoTime(Prisma.sql`changed.ends_at`)}), ${at}, ${currentTraceParent()}
      FROM changed, LATERAL (VALUES ('budget.warned', changed.is_warned), ('budget.reached', changed.is_reached)) AS news (type, is_new)
      WHERE news.is_new
      RETURNING id
    )`;
}

/** Readers who ask for no type get only events without a conversation. */
const NOWHERE = '00000000-0000-0000-0000-000000000000';
