import { BoundedCache } from '../cache/bounded-cache.ts';
import { Prisma, type PrismaClient } from './generated/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { type EnvironmentRef, environmentScope, type Guard, type Scope, SYSTEM_SCOPE } from './scope.ts';
import { scopedClient } from './scoped-client.ts';

/**
 * A client that is restricted to one environment. It adds a condition on the environment to every query, including
 * lists of related rows. For models that belong to the workspace the condition is on the workspace. Rows that it creates
 * belong to the environment and cannot be moved. Hand-written SQL adds its own condition on `environment_id`.
 * Row-level security in PostgreSQL restricts both, in case a condition is missing.
 */
export type ScopedDb = PrismaClient;

type Filter = Readonly<Record<string, unknown>>;

/** From a client that sees all tenants to the client without a scope, which both kinds extend. */
const unscopedClients = new WeakMap<PrismaClient, PrismaClient>();

/** The client that sees all tenants. One client of Prisma serves all scopes, because each takes 9 MB. */
export function systemDb(unscoped: PrismaClient): PrismaClient {
  const system = scopedClient(unscoped, SYSTEM_SCOPE, (_model, _operation, args) => args);
  unscopedClients.set(system, unscoped);
  return system;
}

const clients = new WeakMap<PrismaClient, BoundedCache<ScopedDb>>();

/** Bytes of a client, with its copy without row-level security. */
const CLIENT_BYTES = 32 * 1024;

export function scopedDb(prisma: PrismaClient, environment: EnvironmentRef): ScopedDb {
  const cache = clients.get(prisma) ?? new BoundedCache<ScopedDb>('environmentClients');
  clients.set(prisma, cache);
  const existing = cache.get(environment.id);
  if (existing) return existing;
  const client = narrow(prisma, environment, environmentScope(environment));
  cache.set(environment.id, client, CLIENT_BYTES);
  withoutPolicies.set(client, () => narrow(prisma, environment, SYSTEM_SCOPE));
  return client;
}

/**
 * A client with a guard: a condition of its writes. Without an environment it sees all tenants. It takes some tenths of a
 * millisecond to create.
 */
export function guardedDb(prisma: PrismaClient, guard: Guard, environment?: EnvironmentRef): ScopedDb {
  if (!environment) {
    const system = scopedClient(baseOf(prisma), { ...SYSTEM_SCOPE, guard }, (_model, _operation, args) => args);
    unscopedClients.set(system, baseOf(prisma));
    return system;
  }
  const client = narrow(prisma, environment, environmentScope(environment, guard));
  withoutPolicies.set(client, () => narrow(prisma, environment, { ...SYSTEM_SCOPE, guard }));
  return client;
}

/** Creates the same client without row-level security. */
const withoutPolicies = new WeakMap<ScopedDb, () => ScopedDb>();

/**
 * The same client with its conditions, but without row-level security. With a policy PostgreSQL does not use a GIN index
 * for conditions of the query, because array operators are not leakproof. A filter by a rare label would scan the table.
 */
export function withoutRowSecurity(db: ScopedDb): ScopedDb {
  const create = withoutPolicies.get(db);
  if (!create) throw new Error('withoutRowSecurity needs a client of scopedDb.');
  const client = create();
  withoutPolicies.set(db, () => client);
  return client;
}

function narrow(prisma: PrismaClient, environment: EnvironmentRef, scope: Scope): ScopedDb {
  return scopedClient(baseOf(prisma), scope, (model, operation, args) =>
    narrowArgs(model, operation, args, environment),
  );
}

function baseOf(prisma: PrismaClient): PrismaClient {
  const base = unscopedClients.get(prisma);
  if (!base) throw new Error('A scope needs a client of openDatabase.');
  return base;
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

function narrowArgs(model: string, operation: string, input: Args | undefined, environment: EnvironmentRef): Args {
  const args = narrowLists(model, input ?? {}, environment);
  const filter = boundary(model, environment);
  if (CREATES.has(operation)) {
    const rows = [args.data ?? {}].flat() as Filter[];
    const owned = rows.map((row) => withOwner(model, row, environment));
    return { ...args, data: operation === 'create' ? (owned[0] ?? {}) : owned };
  }
  const { where, data, update } = args;
  for (const change of [data, update]) if (change) requireSameOwner(model, change as Filter, environment);
  // The condition is added to those of the caller. A unique key must stay at the top level.
  const narrowed = { ...args, where: { ...where, AND: [filter, ...[where?.AND ?? []].flat()] } };
  return operation === 'upsert' ? { ...narrowed, create: withOwner(model, args.create ?? {}, environment) } : narrowed;
}

/**
 * Restricts lists of related rows. Both environments see a row of their workspace, but only their own related rows.
 */
function narrowLists(model: string, args: Args, environment: EnvironmentRef): Args {
  const narrowed: { select?: Filter; include?: Filter } = {};
  for (const key of ['select', 'include'] as const) {
    const selection = args[key];
    if (!selection) continue;
    const fields = Object.entries(selection).map(([name, value]) => [
      name,
      narrowField(model, name, value, environment),
    ]);
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
  const selection: Filter = value === true ? Object.fromEntries(lists) : ((value as Args).select ?? {});
  const counts = Object.entries(selection).map(([name, args]) => [name, narrowField(model, name, args, environment)]);
  return { select: Object.fromEntries(counts) };
}

/** Sets the owner of a new row, and overwrites any owner in `row`. */
function withOwner(model: string, row: Filter, environment: EnvironmentRef): Filter {
  const owner = ownerColumn(model, environment);
  if (!owner)
    throw new Error(`A scoped client cannot create ${model} rows: they have no environment or workspace column.`);
  requireNoRelations(model, row);
  return { ...row, ...owner };
}

/** A change cannot move a row to another owner, and cannot write related rows. */
function requireSameOwner(model: string, change: Filter, environment: EnvironmentRef): void {
  requireNoRelations(model, change);
  for (const [column, id] of Object.entries(ownerColumn(model, environment) ?? {})) {
    if (change[column] !== undefined && change[column] !== id) throw new Error(`${model}.${column} cannot be changed.`);
  }
}

function requireNoRelations(model: string, data: Filter): void {
  for (const name of relationsOf(model).keys()) {
    if (data[name] !== undefined) throw new Error(`${model}.${name}: write related rows in a separate call.`);
  }
}

/** Models without an owner column that belong to a workspace, directly or through a relation. */
const WORKSPACE_MODELS: Readonly<Record<string, (workspaceId: string) => Filter>> = {
  Workspace: (id) => ({ id }),
  User: (workspaceId) => ({ memberships: { some: { workspaceId } } }),
  PasswordReset: (workspaceId) => ({ user: { memberships: { some: { workspaceId } } } }),
  SecondFactor: (workspaceId) => ({ user: { memberships: { some: { workspaceId } } } }),
  AuthorizationRecord: (workspaceId) => ({ app: { workspaceId } }),
  RegisteredApp: (workspaceId) => ({ apps: { some: { workspaceId } } }),
  RecoveryCode: (workspaceId) => ({ user: { memberships: { some: { workspaceId } } } }),
  WorkflowVersion: (workspaceId) => ({ workflow: { workspaceId } }),
};

function boundary(model: string, environment: EnvironmentRef): Filter {
  const owner = ownerColumn(model, environment) ?? WORKSPACE_MODELS[model]?.(environment.workspaceId);
  if (owner) return owner;
  throw new Error(`${model} has no environment or workspace. Add it to WORKSPACE_MODELS in scoped.ts.`);
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
  const cached = relations.get(model);
  if (cached) return cached;
  const fields = models[model]?.fields ?? [];
  const result = new Map(
    fields.flatMap(({ kind, name, type, isList }) =>
      kind === 'object' ? [[name, { model: type, isList: isList === true }]] : [],
    ),
  );
  relations.set(model, result);
  return result;
}

const { models } = getDatamodel().datamodel;
