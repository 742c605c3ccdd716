import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Config } from '../config.ts';
import { ENVIRONMENT_KINDS } from '../contract/statuses.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { type DistributionReport, distribute } from '../db/distribute/distribute.ts';
import { continueLogOnServer, isMigrated, migrate } from '../db/migrate.ts';
import { type Operator, operatorContext } from '../domain/access/operator.ts';
import type { Context } from '../domain/context.ts';
import type { DocumentCompiler } from '../domain/documents/compiler-port.ts';
import { createLog } from '../ops/log.ts';
import { openServices } from '../services.ts';
import { CommandError, type ParsedOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

const notHere = () => Promise.reject(new Error('The command line compiles no documents.'));

/** No command publishes or calls documents. Without the schema, commands start faster. */
const NO_COMPILER: DocumentCompiler = { check: notHere, checkVersion: notHere, breakingChanges: notHere };

/** The open database and services of a command. */
export interface Session {
  readonly terminal: Terminal;
  readonly operator: Operator;
  /** Applies missing migrations, and returns their names. */
  migrate(): Promise<string[]>;
  /** Distributes the tables over the servers of Citus, with so many shards for each table. */
  distribute(shards: number): Promise<DistributionReport>;
  /** The environment of `--workspace` and `--environment`, and the name of its workspace. */
  environment(options: ParsedOptions): Promise<{ readonly ctx: Context; readonly workspace: string }>;
  close(): Promise<void>;
}

/**
 * Opens the configured database.
 * @throws {CommandError} if a migration is missing: only the command `migrate` applies migrations
 */
export async function openSession(
  config: Config,
  terminal: Terminal,
  root: string,
  { migrates = false }: { readonly migrates?: boolean | undefined },
): Promise<Session> {
  if (config.database.kind === 'memory') {
    throw new CommandError('DATA_DIR=memory stores nothing. Set DATA_DIR to a directory, or set DATABASE_URL.');
  }
  const database = await openDatabase(config.database);
  try {
    if (!migrates && !(await isMigrated(database, root))) {
      throw new CommandError('The database is not up to date. Run the migrate command first.');
    }
    if (!migrates) await continueLogOnServer(database);
    return await createSession(database, config, terminal, root);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function createSession(database: Database, config: Config, terminal: Terminal, root: string): Promise<Session> {
  const log = createLog(config.logLevel === 'silent' ? 'silent' : 'warn', terminal.stderr);
  const { services, close } = await openServices(config, database, log, { documents: NO_COMPILER });
  const operator: Operator = {
    name: userInfo().username,
    services,
    request: { id: randomUUID(), address: hostname(), userAgent: undefined, claim: undefined, reportLimit: () => {} },
    now: () => new Date(),
    newId: randomUUID,
  };
  return {
    terminal,
    operator,
    migrate: () => migrate(database, root),
    distribute: (shards) => distribute(database, shards),
    environment: (options) => environmentOf(operator, options),
    async close() {
      await close();
      await database.close();
    },
  };
}

async function environmentOf(operator: Operator, options: ParsedOptions) {
  const kind = ENVIRONMENT_KINDS.find((one) => one === (options.text('environment') ?? 'live'));
  if (!kind) throw new CommandError('--environment must be live or test.');
  const workspace = await workspaceOf(operator, options.text('workspace'));
  const { prisma } = operator.services.stores;
  const { id } = await prisma.environment.findUniqueOrThrow({
    where: { workspaceId_kind: { workspaceId: workspace.id, kind } },
  });
  const ctx = operatorContext(operator, { id, kind, workspaceId: workspace.id });
  return { ctx, workspace: workspace.name };
}

/** Finds a workspace by ID or unique name. Without a name there must be only one workspace. */
async function workspaceOf({ services }: Operator, idOrName: string | undefined) {
  const all = await services.stores.prisma.workspace.findMany({
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
  });
  const matches = idOrName === undefined ? all : all.filter(({ id, name }) => id === idOrName || name === idOrName);
  const [only, ...others] = matches;
  if (only && others.length === 0) return only;
  if (all.length === 0)
    throw new CommandError('There is no workspace yet. Create one with the create-workspace command.');
  if (!only) throw new CommandError('--workspace must be the ID or name of an existing workspace.');
  const ids = matches.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new CommandError(`--workspace must be the ID of one workspace. Candidates: ${ids}.`);
}
