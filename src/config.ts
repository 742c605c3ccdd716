import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { isModelName } from './contract/model-name.ts';
import type { EnvironmentKind } from './contract/statuses.ts';
import { TRUST_MODES, type TrustMode } from './contract/trust-mode.ts';
import type { DatabaseLocation } from './db/database.ts';
import { isApiKey } from './domain/access/tokens.ts';

/** What the process was told by its environment, checked. The README's table lists every variable. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Where clients reach the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Where the hosted pages are reached, without a trailing slash. */
  readonly chatUrl: string;
  /** Proxies whose X-Forwarded-For is believed: how many, or which. */
  readonly trustProxy: number | string | false;
  readonly database: DatabaseLocation;
  readonly redisUrl: string | undefined;
  readonly secretKey: string;
  /** Keys that have sealed stored secrets before it. */
  readonly secretKeysBefore: readonly string[];
  /** Lets webhooks and integrations go to this machine, by http too. */
  readonly allowLoopback: boolean;
  readonly defaultModel: string;
  readonly providers: {
    readonly openai: { readonly apiKey?: string; readonly baseUrl?: string };
    readonly anthropic: { readonly apiKey?: string; readonly baseUrl?: string };
  };
  /** Whether `/graphql` tells its schema to whoever asks for it. */
  readonly introspection: boolean;
  readonly trustedDocuments: TrustMode;
  /** The most that a GraphQL document may ask for. */
  readonly maxQueryDepth: number;
  readonly maxQueryCost: number;
  /** Milliseconds that a read may take. */
  readonly requestTimeoutMs: number;
  /** Milliseconds for which a process that is told to stop goes on as before, while `/readyz` says that it will. */
  readonly shutdownDelayMs: number;
  readonly logLevel: string;
  readonly bootstrap: {
    readonly apiKey: { readonly environment: EnvironmentKind; readonly secret: string } | undefined;
    readonly email: string;
    readonly password: string | undefined;
  };
}

/** Everything that is wrong with the environment, a line each, by the variable's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https URL')
  .transform((text) => text.replace(/\/+$/, ''));

const urlOf = (example: string, ...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL like ${example}`,
    );

const TRUST_PROXY_RULE =
  'must be the number of proxies in front, 1 to 10, or their addresses: 10.0.0.0/8, loopback, linklocal, uniquelocal';

const NAMED_ADDRESSES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxyTrust(text: string): boolean {
  if (/^([1-9]|10)$/.test(text)) return true;
  return text.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/');
    if (NAMED_ADDRESSES.has(address) && bits === undefined) return true;
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
  });
}

const wholeNumber = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most.toLocaleString('en')}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, rule)
    .transform(Number)
    .refine((number) => number >= least && number <= most, rule);
};

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number, 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number, 0 to 65535')
    .default(4000),
  PUBLIC_URL: httpUrl.optional(),
  CHAT_URL: httpUrl.optional(),
  TRUST_PROXY: z.string().refine(isProxyTrust, TRUST_PROXY_RULE).optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: urlOf('postgres://user:password@host:5432/name', 'postgres:', 'postgresql:').optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000).optional(),
  REDIS_URL: urlOf('redis://host:6379', 'redis:', 'rediss:').optional(),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters; `openssl rand -base64 32` makes one').optional(),
  SECRET_KEYS_BEFORE: z
    .string()
    .transform((text) => text.split(/\s+/).filter((key) => key !== ''))
    .refine(
      (keys) => keys.every((key) => key.length >= 32),
      'must be keys of at least 32 characters, a space between them',
    )
    .optional(),
  ALLOW_LOOPBACK: z.enum(['true', 'false'], 'must be true or false').default('false'),
  DEFAULT_MODEL: z
    .string()
    .refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME')
    .default('demo'),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: httpUrl.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  INTROSPECTION: z.enum(['on', 'off'], 'must be on or off').default('on'),
  TRUSTED_DOCUMENTS: z.enum(TRUST_MODES, `must be one of ${TRUST_MODES.join(', ')}`).default('off'),
  MAX_QUERY_DEPTH: wholeNumber(1, 100).default(20),
  MAX_QUERY_COST: wholeNumber(1, 100_000_000).default(20_000),
  REQUEST_TIMEOUT: wholeNumber(1, 600).default(30),
  SHUTDOWN_DELAY: wholeNumber(0, 60).default(0),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  BOOTSTRAP_API_KEY: z
    .string()
    .refine(isApiKey, 'must be sk_live_ or sk_test_ followed by 43 letters and digits')
    .optional(),
  BOOTSTRAP_EMAIL: z.email('must be an e-mail address').default('demo@example.com'),
  BOOTSTRAP_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
});

type Variables = z.infer<typeof variables>;

/** Reads the environment. @throws {ConfigError} naming every variable that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { given, problems } = parse(environment);
  if (!given || problems.length > 0) throw new ConfigError(problems);
  const defined = <K extends string>(key: K, value: string | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
  const publicUrl = given.PUBLIC_URL ?? `http://${given.HOST === '0.0.0.0' ? '127.0.0.1' : given.HOST}:${given.PORT}`;
  return {
    host: given.HOST,
    port: given.PORT,
    publicUrl,
    chatUrl: given.CHAT_URL ?? publicUrl,
    trustProxy: proxyTrust(given.TRUST_PROXY),
    database: databaseLocation(given),
    redisUrl: given.REDIS_URL,
    secretKey: given.SECRET_KEY ?? keptSecret(given.DATA_DIR),
    secretKeysBefore: given.SECRET_KEYS_BEFORE ?? [],
    allowLoopback: given.ALLOW_LOOPBACK === 'true',
    defaultModel: given.DEFAULT_MODEL,
    providers: {
      openai: { ...defined('apiKey', given.OPENAI_API_KEY), ...defined('baseUrl', given.OPENAI_BASE_URL) },
      anthropic: { ...defined('apiKey', given.ANTHROPIC_API_KEY), ...defined('baseUrl', given.ANTHROPIC_BASE_URL) },
    },
    introspection: given.INTROSPECTION === 'on',
    trustedDocuments: given.TRUSTED_DOCUMENTS,
    maxQueryDepth: given.MAX_QUERY_DEPTH,
    maxQueryCost: given.MAX_QUERY_COST,
    requestTimeoutMs: given.REQUEST_TIMEOUT * 1_000,
    shutdownDelayMs: given.SHUTDOWN_DELAY * 1_000,
    logLevel: given.LOG_LEVEL,
    bootstrap: {
      apiKey: given.BOOTSTRAP_API_KEY
        ? {
            environment: given.BOOTSTRAP_API_KEY.startsWith('sk_live_') ? 'live' : 'test',
            secret: given.BOOTSTRAP_API_KEY,
          }
        : undefined,
      email: given.BOOTSTRAP_EMAIL.toLowerCase(),
      password: given.BOOTSTRAP_PASSWORD,
    },
  };
}

function proxyTrust(text: string | undefined): Config['trustProxy'] {
  if (text === undefined) return false;
  return /^\d+$/.test(text) ? Number(text) : text;
}

function parse(environment: Readonly<Record<string, string | undefined>>) {
  // An empty variable is one that somebody meant to leave out.
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = variables.safeParse(set);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  return { given: parsed.data, problems: [...problems, ...missing(set)] };
}

/** What one variable asks of another. */
function missing(set: Readonly<Record<string, string | undefined>>): string[] {
  const needs: [boolean, string][] = [
    [
      Boolean(set.DATABASE_URL && !set.SECRET_KEY),
      'SECRET_KEY must be set where DATABASE_URL is: every process on that database needs the same one.',
    ],
    [
      Boolean(set.DEFAULT_MODEL?.startsWith('openai:') && !set.OPENAI_API_KEY),
      'OPENAI_API_KEY must be set where DEFAULT_MODEL is an openai: model.',
    ],
    [
      Boolean(set.DEFAULT_MODEL?.startsWith('anthropic:') && !set.ANTHROPIC_API_KEY),
      'ANTHROPIC_API_KEY must be set where DEFAULT_MODEL is an anthropic: model.',
    ],
    [
      Boolean(set.DEFAULT_MODEL?.startsWith('openai-compatible:') && !set.OPENAI_BASE_URL),
      'OPENAI_BASE_URL must be set where DEFAULT_MODEL is an openai-compatible: model.',
    ],
  ];
  return needs.flatMap(([unmet, problem]) => (unmet ? [problem] : []));
}

function databaseLocation(given: Variables): DatabaseLocation {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = given;
  if (url) return { kind: 'postgresql', url, ...(poolSize !== undefined && { poolSize }) };
  return given.DATA_DIR === 'memory' ? { kind: 'memory' } : { kind: 'directory', path: given.DATA_DIR };
}

/** The embedded service makes its own secret, once, beside its data. */
function keptSecret(dataDir: string): string {
  const made = randomBytes(32).toString('base64url');
  if (dataDir === 'memory') return made;
  const path = join(dataDir, 'secret.key');
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(path, `${made}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new ConfigError([`DATA_DIR ${dataDir} cannot be written to (${code}).`]);
    return readFileSync(path, 'utf8').trim();
  }
}
