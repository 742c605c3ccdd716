import type { EnvironmentKind } from '../contract/statuses.ts';
import { Prisma, type PrismaClient } from './generated/client.ts';
import { getDatamodel } from './generated/pothos.ts';

/** The environment that a caller reads and writes. */
export interface EnvironmentRef {
  readonly id: string;
  readonly kind: EnvironmentKind;
  readonly workspaceId: string;
}

/**
 * A client that sees one environment. Whatever is asked of it is narrowed to rows of that environment (or, for
 * models that belong to the workspace, of its workspace), the lists that hang on those rows included, and whatever it
 * creates is put there and stays there. This is the one place where tenants are kept apart; only hand-written SQL goes
 * round it, and names `environment_id` itself.
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
          return query(narrowArgs(model, operation, args as Args, environment) as typeof args);
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
  readonly update?: Filter;
  readonly select?: Filter;
  readonly include?: Filter;
}

const CREATES = new Set(['create', 'createMany', 'createManyAndReturn']);

function narrowArgs(model: string, operation: string, asked: Args | undefined, environment: EnvironmentRef): Args {
  const args = narrowLists(model, asked ?? {}, environment);
  const filter = boundary(model, environment);
  if (CREATES.has(operation)) {
    const rows = [args.data ?? {}].flat() as Filter[];
    const placed = rows.map((row) => place(model, row, environment));
    return { ...args, data: operation === 'create' ? (placed[0] ?? {}) : placed };
  }
  const { where, data, update } = args;
  for (const change of [data, update]) if (change) requireOwn(model, change as Filter, environment);
  // Beside the caller's own conditions, never instead of them; a unique key must stay at the top level.
  const narrowed = { ...args, where: { ...where, AND: [filter, ...[where?.AND ?? []].flat()] } };
  return operation === 'upsert' ? { ...narrowed, create: place(model, args.create ?? {}, environment) } : narrowed;
}

/** Lists of related rows: a workspace's row is seen from both of its environments, what hangs on it is not. */
function narrowLists(model: string, args: Args, environment: EnvironmentRef): Args {
  const narrowed: { select?: Filter; include?: Filter } = {};
  for (const key of ['select', 'include'] as const) {
    const asked = args[key];
    if (!asked) continue;
    const fields = Object.entries(asked).map(([name, value]) => [name, narrowField(model, name, value, environment)]);
    narrowed[key] = Object.fromEntries(fields);
  }
  return { ...args, ...narrowed };
}

function narrowField(model: string, name: string, value: unknown, environment: EnvironmentRef): unknown {
  if (!value) return value;
  if (name === '_count') return narrowCounts(model, value, environment);
  const relation = relationsOf(model).get(name);
  if (!relation) return value;
  const args = narrowLists(relation.model, value === true ? {} : (value as Args), environment);
  if (!relation.isList) return value === true ? true : args;
  return { ...args, where: { AND: [args.where ?? {}, boundary(relation.model, environment)] } };
}

function narrowCounts(model: string, value: unknown, environment: EnvironmentRef): unknown {
  const lists = [...relationsOf(model)].filter(([, { isList }]) => isList).map(([name]) => [name, true]);
  const asked: Filter = value === true ? Object.fromEntries(lists) : ((value as Args).select ?? {});
  const counts = Object.entries(asked).map(([name, counted]) => [name, narrowField(model, name, counted, environment)]);
  return { select: Object.fromEntries(counts) };
}

/** Puts a new row where it belongs, whatever it says itself. */
function place(model: string, row: Filter, environment: EnvironmentRef): Filter {
  const owner = ownerColumn(model, environment);
  if (!owner) throw new Error(`${model} rows cannot be made through a scoped client: they do not say whose they are.`);
  requireNoRelations(model, row);
  return { ...row, ...owner };
}

/** A change may neither move a row elsewhere nor reach through it to other rows. */
function requireOwn(model: string, change: Filter, environment: EnvironmentRef): void {
  requireNoRelations(model, change);
  for (const [column, id] of Object.entries(ownerColumn(model, environment) ?? {})) {
    if (change[column] !== undefined && change[column] !== id) throw new Error(`${model}.${column} cannot be changed.`);
  }
}

function requireNoRelations(model: string, data: Filter): void {
  for (const name of relationsOf(model).keys()) {
    if (data[name] !== undefined) throw new Error(`${model}.${name}: write related rows by themselves.`);
  }
}

/** Models that belong to a workspace, or hang on a row that does, without a column that says so. */
const WORKSPACE_MODELS: Readonly<Record<string, (workspaceId: string) => Filter>> = {
  Workspace: (id) => ({ id }),
  User: (workspaceId) => ({ memberships: { some: { workspaceId } } }),
  WorkflowVersion: (workspaceId) => ({ workflow: { workspaceId } }),
};

function boundary(model: string, environment: EnvironmentRef): Filter {
  const owner = ownerColumn(model, environment) ?? WORKSPACE_MODELS[model]?.(environment.workspaceId);
  if (owner) return owner;
  throw new Error(`${model} belongs to no environment or workspace: say in scoped.ts how it is bound.`);
}

function ownerColumn(model: string, environment: EnvironmentRef): Filter | undefined {
  const columns = Prisma[`${model}ScalarFieldEnum` as keyof typeof Prisma] as object;
  if ('environmentId' in columns) return { environmentId: environment.id };
  return 'workspaceId' in columns ? { workspaceId: environment.workspaceId } : undefined;
}

interface Relation {
  readonly model: string;
  readonly isList: boolean;
}

const relations = new Map<string, ReadonlyMap<string, Relation>>();

function relationsOf(model: string): ReadonlyMap<string, Relation> {
  const known = relations.get(model);
  if (known) return known;
  const fields = models[model]?.fields ?? [];
  const found = new Map(
    fields.flatMap(({ kind, name, type, isList }) =>
      kind === 'object' ? [[name, { model: type, isList: isList === true }]] : [],
    ),
  );
  relations.set(model, found);
  return found;
}

const { models } = getDatamodel().datamodel;
