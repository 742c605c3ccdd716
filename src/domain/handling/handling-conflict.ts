import { ServiceError } from '../../contract/errors.ts';
import type { HandlingMode } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { HandlingFacts } from './handling-state.ts';

/** Who handles a conversation, as an error names it. */
export interface HandlingRow {
  readonly handling: HandlingMode;
  /** Null: the assistant has always handled it. JSON has no dates. */
  readonly since: Date | string | null;
  readonly facts: HandlingFacts | null;
}

/** The columns of a conversation for {@link HandlingRow}. `row` is its name in the statement. */
export function handlingJson(row: 'conversation' | 'c'): Prisma.Sql {
  const name = Prisma.raw(row);
  return Prisma.sql`jsonb_build_object('handling', ${name}.handling, 'since', ${name}.handling_since, 'facts', ${name}.handling_facts)`;
}

/** The error of an operation that depends on who handles the conversation. */
export function handlingConflict(message: string, { handling, since, facts }: HandlingRow): ServiceError {
  const holder = handling === 'member' ? facts?.holder : undefined;
  return new ServiceError('handling_conflict', message, {
    facts: {
      handling,
      ...(holder && { author: { display_name: holder.displayName, kind: holder.kind } }),
      ...(since && { since: new Date(since).toISOString() }),
    },
  });
}
