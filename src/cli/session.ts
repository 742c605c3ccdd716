import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Config } from '../config.ts';
import { ENVIRONMENT_KINDS } from '../contract/statuses.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { isMigrated, migrate } from '../db/migrate.ts';
import { type Operator, operatorContext } from '../domain/access/operator.ts';
import type { Context } from '../domain/context.ts';
import { createLog } from '../ops/log.ts';
import { openServices } from '../services.ts';
import { CommandError, type Given } from './command.ts';

/** What commands work with: the database of the service's configuration, and the domain over it. */
export interface Session {
  readonly operator: Operator;
  /** Answers the names of the migrations that it applied. */
  migrate(): Promise<string[]>;
  /** The environment that `--workspace` and `--environment` name, and the workspace's name. */
  environment(given: Given): Promise<{ readonly ctx: Context; readonly workspace: string }>;
  close(): Promise<void>;
}

/** Opens what the configuration names. Migrations are the operator's to begin. @throws {CommandError} */
export async function openSession(
  config: Config,
  root: string,
  { migrates = false }: { readonly migrates?: boolean | undefined },
): Promise<Session> {
  if (config.database.kind === 'memory') {
    throw new CommandError('DATA_DIR=memory keeps nothing. Set DATA_DIR to a directory, or DATABASE_URL.');
  }
  const database = await openDatabase(config.database);
  try {
    if (!migrates && !(await isMigrated(database, root))) {
      throw new CommandError('The database is not up to date. Run the command migrate first.');
    }
    return await sessionOn(database, config, root);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function sessionOn(database: Database, config: Config, root: string): Promise<Session> {
  const log = createLog(config.logLevel === 'silent' ? 'silent' : 'warn', process.stderr);
  const { services, close } = await openServices(config, database, log);
  const operator: Operator = {
    name: userInfo().username,
    services,
    request: { id: randomUUID(), address: hostname(), userAgent: undefined, claim: undefined, tellLimit: () => {} },
    now: () => new Date(),
    newId: randomUUID,
  };
  return {
    operator,
    migrate: () => migrate(database, root),
    environment: (given) => environmentOf(operator, given),
    async close() {
      await close();
      await database.close();
    },
  };
}

async function environmentOf(operator: Operator, given: Given) {
  const kind = ENVIRONMENT_KINDS.find((one) => one === (given.text('environment') ?? 'live'));
  if (!kind) throw new CommandError('--environment must be live or test.');
  const workspace = await workspaceOf(operator, given.text('workspace'));
  const { prisma } = operator.services;
  const { id } = await prisma.environment.findUniqueOrThrow({
    where: { workspaceId_kind: { workspaceId: workspace.id, kind } },
  });
  const ctx = operatorContext(operator, { id, kind, workspaceId: workspace.id });
  return { ctx, workspace: workspace.name };
}

/** By id, or by a name that only one has; the only one where it is left out. */
async function workspaceOf({ services }: Operator, named: string | undefined) {
  const all = await services.prisma.workspace.findMany({ select: { id: true, name: true }, orderBy: { id: 'asc' } });
  const found = named === undefined ? all : all.filter(({ id, name }) => id === named || name === named);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (all.length === 0) throw new CommandError('There is no workspace yet. Make one by the command create-workspace.');
  if (!only) throw new CommandError('--workspace names none that there is.');
  const ids = found.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new CommandError(`--workspace must name one of them by its id: ${ids}.`);
}
