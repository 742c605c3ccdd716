import type { TurnOutcome } from '../../../contract/statuses.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Spending } from '../../budgets/spending.ts';
import { eachCount } from '../../usage/token-columns.ts';

/** The values of a line of the workflow log. */
interface CountedLine {
  readonly model: string;
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  readonly responseTimeMs: number;
}

/** The assignments that add a new summary to the usage of its conversation. It is not a turn. */
export function countSummary({ model, usage }: Pick<CountedLine, 'model' | 'usage'>): Prisma.Sql {
  return addToUsage({
    model: Prisma.sql`${model}::text`,
    turns: Prisma.sql`0`,
    failures: Prisma.sql`0`,
    tokens: (_column, count) => Prisma.sql`${usage[count]}::int`,
    responseTimeMs: Prisma.sql`0`,
  });
}

/** The assignments that add a new line of the workflow log to the usage of its conversation. */
export function countUsage({ model, outcome, usage, responseTimeMs }: CountedLine): Prisma.Sql {
  return addToUsage({
    model: Prisma.sql`${model}::text`,
    turns: Prisma.sql`1`,
    failures: outcome === 'failed' ? Prisma.sql`1` : Prisma.sql`0`,
    tokens: (_column, count) => Prisma.sql`${usage[count]}::int`,
    responseTimeMs: Prisma.sql`${responseTimeMs}::int`,
  });
}

/** SQL for the sums of new lines. `model` is null if they have several models. */
type NewLines = Readonly<Record<'model' | 'turns' | 'failures' | 'responseTimeMs', Prisma.Sql>> & {
  readonly tokens: (column: Prisma.Sql, count: keyof Usage) => Prisma.Sql;
};

/** The assignments that add new lines of the workflow log to the usage of their conversation. */
export function addToUsage(lines: NewLines): Prisma.Sql {
  return Prisma.sql`
    usage_model = CASE WHEN conversation.turns = 0 OR conversation.usage_model = ${lines.model} THEN ${lines.model} END,
    turns = conversation.turns + ${lines.turns}, failures = conversation.failures + ${lines.failures},
    ${eachCount((column, _name, count) => Prisma.sql`${column} = conversation.${column} + ${lines.tokens(column, count)}`)},
    response_time_ms = greatest(conversation.response_time_ms, ${lines.responseTimeMs})`;
}

/**
 * The assignments that keep the tokens of the last step for the next turn, if it got everything since the newest summary, and
 * its prompt for the budgets of the next turn.
 */
export function keptTokens(contextTokens: number | undefined, spending: Spending | undefined): Prisma.Sql {
  const context = contextTokens === undefined ? Prisma.empty : Prisma.sql`, context_tokens = ${contextTokens}`;
  const last = spending?.last;
  return last ? Prisma.sql`${context}, counted_prompt = ${JSON.stringify(last)}::jsonb` : context;
}
