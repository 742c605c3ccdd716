import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../src/contract/errors.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { Prisma } from '../../src/db/generated/client.ts';
import type { Sql } from '../../src/db/sql.ts';
import { callerContext, UNLIMITED } from '../../src/domain/access/caller-context.ts';
import type { Claim } from '../../src/domain/access/idempotency.ts';
import { LeaseLostError } from '../../src/domain/agent/rows/run-moves.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Context, Services } from '../../src/domain/context.ts';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';

/** Every combination of the values. */
export function combinations<Values extends Readonly<Record<string, readonly unknown[]>>>(
  values: Values,
): { readonly [Key in keyof Values]: Values[Key][number] }[] {
  const start = [{}] as { [Key in keyof Values]: Values[Key][number] }[];
  return Object.entries(values).reduce(
    (found, [key, options]) => found.flatMap((one) => options.map((value) => ({ ...one, [key]: value }))),
    start,
  );
}

/** One caller of each kind that changes statements. */
export type Callers = Readonly<Record<'key' | 'boundKey' | 'endUser' | 'anonymous' | 'member', Caller>>;

/** Callers of the live environment, whose IDs nothing has. */
export async function callersOf({ stores: { prisma } }: Services): Promise<Callers> {
  const { id, kind, workspaceId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  const expiresAt = new Date(Date.now() + 3_600_000);
  const userId = randomUUID();
  const base = {
    id: userId,
    tokenHash: '',
    environment: { id, kind, workspaceId },
    scopes: new Set(SCOPES),
    limits: UNLIMITED,
  };
  const key = { ...base, kind: 'api_key', expiresAt, ipRanges: [], deploymentIds: [] } as const;
  const user = { id: userId, email: '', name: '' };
  return {
    key,
    boundKey: { ...key, deploymentIds: [DEMO_AGENT_ID] },
    endUser: { ...base, kind: 'end_user', endUser: 'ada', deploymentIds: [DEMO_AGENT_ID], expiresAt },
    anonymous: { ...base, kind: 'anonymous', visitor: undefined, anonymousPerMinute: null } as Caller,
    member: { ...base, kind: 'session', user, workspaceName: '', role: 'owner', expiresAt },
  };
}

/** The context of a caller. Its statements run. */
export function contextOf(services: Services, caller: Caller, claim?: Claim): Context {
  const request = { id: 'composed', address: '127.0.0.1', userAgent: undefined, claim, reportLimit() {} };
  return callerContext({ request, services, now: () => new Date(), newId: randomUUID }, caller);
}

/** Runs code of the service whose statements are explained instead: the server reads and plans each, and changes nothing. */
export class Explaining {
  readonly #services: Services;
  /** The texts of the explained statements. */
  readonly statements = new Set<string>();
  /** What the server rejected. */
  readonly problems: string[] = [];

  constructor(services: Services) {
    this.#services = services;
  }

  /** The context of a caller. */
  context(caller: Caller, claim?: Claim): Context {
    const real = this.#services.stores.sql;
    const sql = {
      ...this.#explained(real),
      within: (environment: Parameters<typeof real.within>[0]) => this.#explained(real.within(environment)),
    };
    const { stores } = this.#services;
    return contextOf({ ...this.#services, stores: { ...stores, sql } }, caller, claim);
  }

  /** Runs one combination. As no statement returns a row, the code ends as if another process had been first. */
  async run(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isExpected =
        error instanceof ServiceError ||
        error instanceof LeaseLostError ||
        (error instanceof Error && error.message === 'a start that claims nothing was lost');
      if (!isExpected) this.problems.push(`${name}: ${error}`);
    }
  }

  #explained(real: Sql): Sql {
    const explain = async (text: TemplateStringsArray, ...values: readonly unknown[]) => {
      const statement = Prisma.sql(text, ...(values as Prisma.Sql[]));
      this.statements.add(statement.text);
      await real.rows`EXPLAIN ${statement}`;
    };
    return {
      rows: async (text, ...values) => {
        await explain(text, ...values);
        return [];
      },
      read: (text, ...values) => real.read(text, ...values),
      execute: async (text, ...values) => {
        await explain(text, ...values);
        return 0;
      },
    };
  }
}
