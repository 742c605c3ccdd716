import type { EnvironmentKind } from '../contract/statuses.ts';
import { Prisma, type PrismaClient } from './generated/client.ts';

/** The environment that a caller reads and writes. */
export interface EnvironmentRef {
  readonly id: string;
  readonly kind: EnvironmentKind;
  readonly workspaceId: string;
}

/**
 * A client that sees one environment. Whatever is asked of it is narrowed to rows of that environment (or, for
 * models that belong to the workspace, of its workspace), and whatever it creates is put there. This is the one
 * place where tenants are kept apart; only hand-written SQL goes round it, and names `environment_id` itself.
 */
export type ScopedDb = PrismaClient;

type Filter = Readonly<Record<string, unknown>>;

const clients = new WeakMap<PrismaClient, Map<string, ScopedDb>>();

/** Environments whose client is kept ready in one process. */
const MAX_CLIENTS = 1_000;

export function scopedDb(prisma: PrismaClient, environment: EnvironmentRef): ScopedDb {
  const known = clients.get(prisma) ?? new Map<string, ScopedDb>();
  clients.set(prisma, known);
  const existing = known.get(environment.id);
  if (existing) return existing;
  if (known.size >= MAX_CLIENTS) known.clear();
  const client = narrow(prisma, environment);
  known.set(environment.id, client);
  return client;
}

function narrow(prisma: PrismaClient, environment: EnvironmentRef): ScopedDb {
  const extended = prisma.$extends({
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          return query(narrowArgs(boundary(model, environment), operation, args as Args) as typeof args);
        },
      },
    },
  });
  return extended as unknown as ScopedDb;
}

interface Args {
  readonly where?: Filter;
  readonly data?: Filter | readonly Filter[];
  readonly create?: Filter;
}

const CREATES = new Set(['create', 'createMany', 'createManyAndReturn']);

function narrowArgs(filter: Filter, operation: string, args: Args = {}): Args {
  if (CREATES.has(operation)) return { ...args, data: place(filter, args.data) };
  // Beside the caller's own conditions, never instead of them; a unique key must stay at the top level.
  const where = { ...args.where, AND: [filter, ...[args.where?.AND ?? []].flat()] };
  return operation === 'upsert' ? { ...args, where, create: { ...args.create, ...filter } } : { ...args, where };
}

function place(filter: Filter, data: Args['data']): Filter | Filter[] {
  return Array.isArray(data) ? data.map((row: Filter) => ({ ...row, ...filter })) : { ...data, ...filter };
}

/** Models that belong to a workspace, or hang on a row that does. */
const WORKSPACE_MODELS: Readonly<Record<string, (workspaceId: string) => Filter>> = {
  Workspace: (id) => ({ id }),
  User: (workspaceId) => ({ memberships: { some: { workspaceId } } }),
  WorkflowVersion: (workspaceId) => ({ workflow: { workspaceId } }),
};

function boundary(model: string, environment: EnvironmentRef): Filter {
  const special = WORKSPACE_MODELS[model];
  if (special) return special(environment.workspaceId);
  const columns = Prisma[`${model}ScalarFieldEnum` as keyof typeof Prisma] as object;
  if ('environmentId' in columns) return { environmentId: environment.id };
  if ('workspaceId' in columns) return { workspaceId: environment.workspaceId };
  throw new Error(`${model} belongs to no environment or workspace: say in scoped.ts how it is bound.`);
}
