import { join } from 'node:path';
import type { Environment, Variable } from './config/variable.ts';
import { VARIABLES } from './config/variables.ts';
import type { EnvironmentKind, TrustMode } from './contract/statuses.ts';
import type { DatabaseLocation } from './db/database.ts';
import { readOrCreateSecret } from './db/secret-file.ts';
import type { ChallengeSettings } from './identity/challenges.ts';
import type { S3Settings } from './storage/s3-requests.ts';
import type { TelemetrySettings } from './telemetry/open.ts';

/** The validated environment variables. `VARIABLES` documents them. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** The base URL of the hosted pages, without a trailing slash. */
  readonly chatUrl: string;
  /** The proxies whose X-Forwarded-For header is trusted: their number, or their addresses. */
  readonly trustProxy: number | string | false;
  readonly database: DatabaseLocation;
  /** Where uploaded files are kept. */
  readonly files: FilesLocation;
  /** A program and its arguments. */
  readonly scanCommand: readonly string[] | undefined;
  readonly redisUrl: string | undefined;
  readonly secretKey: string;
  /** Earlier values of `secretKey`. They still decrypt stored secrets. */
  readonly previousSecretKeys: readonly string[];
  readonly allowLoopback: boolean;
  readonly defaultModel: string;
  /** The currency of the model prices: an ISO 4217 code. */
  readonly currency: string;
  readonly providers: {
    readonly openai: { readonly apiKey?: string; readonly baseUrl?: string };
    readonly anthropic: { readonly apiKey?: string; readonly baseUrl?: string };
  };
  /** Undefined: the service sends no email. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
  /** The provider of challenges. Undefined: there is no provider. */
  readonly challenges: ChallengeSettings | undefined;
  readonly introspection: boolean;
  readonly federation: boolean;
  /** Whether apps can register themselves. */
  readonly appRegistration: boolean;
  readonly trustedDocuments: TrustMode;
  readonly maxQueryDepth: number;
  readonly maxQueryCost: number;
  /** The time limit of a read. */
  readonly requestTimeoutMs: number;
  readonly leaseSeconds: number;
  /** How many days entries of the audit log are kept. Undefined: without a time limit. */
  readonly auditLogDays: number | undefined;
  /** How many days events are kept. Undefined: without a time limit. */
  readonly eventLogDays: number | undefined;
  readonly metricsToken: string | undefined;
  /** How long a stopping process continues to accept requests while `/readyz` returns 503. */
  readonly shutdownDelayMs: number;
  /** How long a shutdown takes at most, after the delay. */
  readonly shutdownMs: number;
  /** Undefined: no telemetry is exported. */
  readonly telemetry: TelemetrySettings | undefined;
  readonly logLevel: string;
  readonly bootstrap: {
    readonly apiKey: { readonly environment: EnvironmentKind; readonly secret: string } | undefined;
    readonly email: string | undefined;
    readonly password: string | undefined;
  };
}

/** Where uploaded files are kept. `memory` is a temporary directory. */
export type FilesLocation =
  | { readonly kind: 'directory'; readonly path: string; readonly minFreeBytes?: number | undefined }
  | { readonly kind: 'memory'; readonly minFreeBytes?: number | undefined }
  | ({ readonly kind: 's3' } & S3Settings);

/** Lists every problem of the environment. Each problem starts with the name of the variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

type ValueOf<V> =
  V extends Variable<infer Value, infer Default> ? (Default extends string ? Value : Value | undefined) : never;

type Values = { readonly [Name in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Name]> };

/**
 * Reads the environment.
 * @throws {ConfigError} if any variable is not valid or is missing
 * @throws {DataDirError} if the secret key in DATA_DIR cannot be read or created
 */
export function readConfig(environment: Environment): Config {
  const values = parse(environment);
  const publicUrl =
    values.PUBLIC_URL ?? `http://${values.HOST === '0.0.0.0' ? '127.0.0.1' : values.HOST}:${values.PORT}`;
  const apiKey = values.BOOTSTRAP_API_KEY;
  return {
    host: values.HOST,
    port: values.PORT,
    publicUrl,
    chatUrl: values.CHAT_URL ?? publicUrl,
    trustProxy: values.TRUST_PROXY ?? false,
    database: databaseLocation(values),
    files: filesLocation(values),
    scanCommand: values.FILES_SCAN_COMMAND,
    redisUrl: values.REDIS_URL,
    secretKey: values.SECRET_KEY ?? readOrCreateSecret(values.DATA_DIR),
    previousSecretKeys: values.SECRET_KEYS_BEFORE ?? [],
    allowLoopback: values.ALLOW_LOOPBACK === 'true',
    defaultModel: values.DEFAULT_MODEL,
    currency: values.CURRENCY,
    providers: {
      openai: provider(values.OPENAI_API_KEY, values.OPENAI_BASE_URL),
      anthropic: provider(values.ANTHROPIC_API_KEY, values.ANTHROPIC_BASE_URL),
    },
    mail:
      values.SMTP_URL === undefined || values.MAIL_FROM === undefined
        ? undefined
        : { url: values.SMTP_URL, from: values.MAIL_FROM },
    challenges: challenges(values),
    introspection: values.INTROSPECTION === 'on',
    federation: values.FEDERATION === 'on',
    appRegistration: values.MCP_DYNAMIC_REGISTRATION === 'on',
    trustedDocuments: values.TRUSTED_DOCUMENTS,
    maxQueryDepth: values.MAX_QUERY_DEPTH,
    maxQueryCost: values.MAX_QUERY_COST,
    requestTimeoutMs: values.REQUEST_TIMEOUT * 1_000,
    leaseSeconds: values.LEASE_SECONDS,
    auditLogDays: values.AUDIT_LOG_DAYS,
    eventLogDays: values.EVENT_LOG_DAYS,
    metricsToken: values.METRICS_TOKEN,
    shutdownDelayMs: values.SHUTDOWN_DELAY * 1_000,
    shutdownMs: values.SHUTDOWN_TIMEOUT * 1_000,
    telemetry: telemetry(values),
    logLevel: values.LOG_LEVEL,
    bootstrap: {
      apiKey:
        apiKey === undefined
          ? undefined
          : { environment: apiKey.startsWith('sk_live_') ? 'live' : 'test', secret: apiKey },
      email: values.BOOTSTRAP_EMAIL?.toLowerCase(),
      password: values.BOOTSTRAP_PASSWORD,
    },
  };
}

/** An empty variable counts as not set. @throws {ConfigError} */
function parse(environment: Environment): Values {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
  const problems: string[] = [];
  const values = Object.entries<Variable>(VARIABLES).map(([name, { accepts, parse, required, ...variable }]) => {
    const text = nonEmpty[name] ?? variable.default;
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) problems.push(`${name} must be ${accepts}.`);
    if (text === undefined && required?.holds(nonEmpty)) problems.push(`${name} is required if ${required.condition}.`);
    return [name, value];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(values) as Values;
}

function challenges(values: Values): ChallengeSettings | undefined {
  const { CHALLENGE_VERIFY_URL: verifyUrl, CHALLENGE_SECRET: secret, CHALLENGE_SITE_KEY: siteKey } = values;
  if (verifyUrl === undefined || secret === undefined || siteKey === undefined) return undefined;
  return { verifyUrl, secret, siteKey };
}

function telemetry(values: Values): TelemetrySettings | undefined {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: values.OTEL_SERVICE_NAME,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
    capturesContent: values.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === 'true',
    spanDelayMs: values.OTEL_BSP_SCHEDULE_DELAY,
    metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

function provider(apiKey: string | undefined, baseUrl: string | undefined): Config['providers']['openai'] {
  return { ...(apiKey !== undefined && { apiKey }), ...(baseUrl !== undefined && { baseUrl }) };
}

function databaseLocation({
  DATABASE_URL: url,
  DATABASE_SESSION_URL: sessionUrl,
  DATABASE_POOL_SIZE: poolSize,
  DATA_DIR: path,
}: Values): DatabaseLocation {
  if (url !== undefined) return { kind: 'postgresql', url, poolSize, ...(sessionUrl && { sessionUrl }) };
  return path === 'memory' ? { kind: 'memory' } : { kind: 'directory', path };
}

function filesLocation(values: Values): FilesLocation {
  const { S3_BUCKET: bucket, S3_REGION: region, FILES_DIR: path, DATA_DIR: data } = values;
  if (bucket !== undefined) {
    return {
      kind: 's3',
      bucket,
      region,
      endpoint: values.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
      // Required with a bucket.
      accessKeyId: values.S3_ACCESS_KEY_ID ?? '',
      secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? '',
    };
  }
  const megabytes = values.FILES_MIN_FREE_MB;
  const minFreeBytes = megabytes === undefined ? undefined : megabytes * 1024 * 1024;
  if (path !== undefined) return { kind: 'directory', path, minFreeBytes };
  return data === 'memory' && values.DATABASE_URL === undefined
    ? { kind: 'memory', minFreeBytes }
    : { kind: 'directory', path: join(data === 'memory' ? './data' : data, 'files'), minFreeBytes };
}
