import { type Usage, usageByColumn } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';
import { costOf, joinPrices, LINE } from '../usage/line-cost.ts';
import { eachCount } from '../usage/token-columns.ts';

/** Tokens that a model has read and written. */
export interface SpentTokens {
  readonly model: string;
  readonly usage: Usage;
}

/** The most that a step can read and write. */
export interface StepCeiling {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface Priced {
  readonly workspaceId: string;
}

/** What tokens cost in a budget of this unit. Null: a model has no price. */
export function spentSql(environment: Priced, lines: readonly SpentTokens[], unit: Prisma.Sql): Prisma.Sql {
  const rows = lines.map(({ model, usage }) => ({ model, ...usageByColumn(usage) }));
  const columns = eachCount((column) => Prisma.sql`${column} int`);
  return sumSql(environment, rows, { columns, unit, tokens: TOKENS, cost: costOf(LINE) });
}

/** What the most of a step costs in a budget of this unit: all input at the dearest price of input. */
export function ceilingSql(
  environment: Priced,
  { model, inputTokens, outputTokens }: StepCeiling,
  unit: Prisma.Sql,
): Prisma.Sql {
  const rows = [{ model, input_tokens: inputTokens, output_tokens: outputTokens }];
  const columns = Prisma.sql`input_tokens int, output_tokens int`;
  return sumSql(environment, rows, { columns, unit, tokens: TOKENS, cost: DEAREST });
}

const TOKENS = Prisma.sql`l.input_tokens::numeric + l.output_tokens`;

const DEAREST = Prisma.sql`(l.input_tokens * greatest(p.input_per_million, p.cache_write_per_million)
          + l.output_tokens * p.output_per_million) * 0.000001`;

interface Sum {
  readonly columns: Prisma.Sql;
  readonly unit: Prisma.Sql;
  readonly tokens: Prisma.Sql;
  readonly cost: Prisma.Sql;
}

/** A sum ignores null, so an unknown price is looked for. */
function sumSql(environment: Priced, rows: readonly object[], { columns, unit, tokens, cost }: Sum): Prisma.Sql {
  if (rows.length === 0) return Prisma.sql`0::numeric`;
  return Prisma.sql`(
        SELECT CASE WHEN ${unit} = 'tokens' THEN sum(${tokens}) WHEN bool_or(p.model IS NULL) THEN NULL ELSE sum(${cost}) END
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS l (model text, ${columns}) ${joinPrices(environment)}
      )`;
}
