import { z } from 'zod';
import { isModelName } from '../contract/model-name.ts';
import { TRUST_MODES } from '../contract/statuses.ts';
import { MIN_SECRET_LENGTH } from '../db/secret-file.ts';
import { isApiKey } from '../domain/access/tokens.ts';
import { API_VARIABLES } from './api-variables.ts';
import { CHALLENGE_VARIABLES } from './challenge-variables.ts';
import { FILE_VARIABLES } from './file-variables.ts';
import { choice, type Format, siteUrl, text, trustedProxies, url, urlWithQuery, wholeNumber } from './formats.ts';
import { TELEMETRY_VARIABLES } from './telemetry-variables.ts';
import { type Requirement, variable } from './variable.ts';

const isSecret = (value: string) => value.length >= MIN_SECRET_LENGTH;

const secretKeys: Format<readonly string[]> = {
  accepts: `keys of at least ${MIN_SECRET_LENGTH} characters, separated by spaces`,
  parse(value) {
    const keys = value.split(/\s+/).filter((key) => key !== '');
    return keys.every(isSecret) ? keys : undefined;
  },
};

const usesProvider = (prefix: string): Requirement => ({
  condition: `DEFAULT_MODEL is an ${prefix} model`,
  holds: ({ DEFAULT_MODEL }) => DEFAULT_MODEL?.startsWith(prefix) === true,
});

/** Every environment variable of the service. The documentation and `.env.example` repeat this table. */
export const VARIABLES = {
  HOST: variable(
    { meaning: 'The address that the service listens on.', default: '127.0.0.1' },
    text('an IP address or a host name'),
  ),
  PORT: variable(
    {
      meaning: 'The port that the service listens on. With 0 the operating system chooses a free port.',
      default: '4000',
    },
    wholeNumber(0, 65_535),
  ),
  PUBLIC_URL: variable(
    { meaning: 'The base URL that clients use to reach the service.', fallback: 'a URL made of HOST and PORT' },
    siteUrl,
  ),
  CHAT_URL: variable(
    { meaning: 'The base URL of the hosted pages. The links of triggers start with it.', fallback: 'PUBLIC_URL' },
    siteUrl,
  ),
  TRUST_PROXY: variable(
    {
      meaning: 'The reverse proxies whose X-Forwarded-For header is trusted.',
      fallback: 'no proxy is trusted: the client address is the address of the connection',
    },
    trustedProxies,
  ),
  DATA_DIR: variable(
    {
      meaning:
        'The directory of the embedded database, on a local disk. Only one process can use it at a time. ' +
        'With memory all data is lost when the process ends. Not used if DATABASE_URL is set.',
      default: './data',
    },
    text('a directory, or memory'),
  ),
  ...FILE_VARIABLES,
  DATABASE_URL: variable(
    {
      meaning: 'The PostgreSQL database, version 15 or newer. Any number of processes can share it.',
      fallback: 'the embedded database in DATA_DIR',
      required: {
        condition: 'DATABASE_SESSION_URL is set',
        holds: ({ DATABASE_SESSION_URL }) => DATABASE_SESSION_URL !== undefined && DATABASE_SESSION_URL !== '',
      },
    },
    url('postgres://user:password@host:5432/name', 'postgres:', 'postgresql:'),
  ),
  DATABASE_SESSION_URL: variable(
    {
      meaning:
        'The same database without the pooler. Set it if DATABASE_URL leads through a connection pooler in transaction ' +
        'mode, like PgBouncer. Migrations and LISTEN use it.',
      fallback: 'connections of DATABASE_URL keep their session',
    },
    url('postgres://user:password@host:5432/name', 'postgres:', 'postgresql:'),
  ),
  DATABASE_POOL_SIZE: variable(
    {
      meaning:
        'The maximum number of pooled PostgreSQL connections per process. ' +
        'Without REDIS_URL each process opens one more connection for LISTEN.',
      default: '10',
    },
    wholeNumber(1, 1_000),
  ),
  REDIS_URL: variable(
    {
      meaning: 'The Redis server that carries live updates between processes and counts rate limits.',
      fallback: 'PostgreSQL does both, or the process itself if the database is embedded',
    },
    url('redis://host:6379', 'redis:', 'rediss:'),
  ),
  SECRET_KEY: variable(
    {
      meaning: 'Encrypts stored secrets and signs cursors and cookies. Use the same key for every process.',
      fallback: 'a key that Parley generates and stores in DATA_DIR/secret.key',
      required: {
        condition: 'DATABASE_URL is set',
        holds: ({ DATABASE_URL }) => DATABASE_URL !== undefined,
      },
    },
    text(`at least ${MIN_SECRET_LENGTH} characters, for example from \`openssl rand -base64 32\``, isSecret),
  ),
  SECRET_KEYS_BEFORE: variable(
    { meaning: 'Previous values of SECRET_KEY. They can still decrypt stored secrets.', fallback: 'no previous keys' },
    secretKeys,
  ),
  ALLOW_LOOPBACK: variable(
    {
      meaning:
        'Allows webhooks, integrations, actions and single sign-on to call this machine, over plain http too. For development.',
      default: 'false',
    },
    choice('true', 'false'),
  ),
  DEFAULT_MODEL: variable(
    { meaning: 'The model of deployments that do not name one.', default: 'demo' },
    text('demo, openai:NAME, anthropic:NAME or openai-compatible:NAME', isModelName),
  ),
  CURRENCY: variable(
    {
      meaning:
        'The currency of the model prices, and so of every cost. The dashboard and exports name it. Parley converts nothing.',
      default: 'USD',
    },
    text('an ISO 4217 code like USD or EUR', (value) => /^[A-Z]{3}$/.test(value)),
  ),
  OPENAI_API_KEY: variable(
    { meaning: 'The API key for OpenAI models.', fallback: 'no key', required: usesProvider('openai:') },
    text('an API key'),
  ),
  OPENAI_BASE_URL: variable(
    {
      meaning:
        'The base URL of OpenAI, or of a server with the same chat completions API, like Ollama or vLLM. ' +
        'A query is kept, like ?api-version= of Azure.',
      fallback: 'the URL of OpenAI',
      required: usesProvider('openai-compatible:'),
    },
    urlWithQuery,
  ),
  ANTHROPIC_API_KEY: variable(
    { meaning: 'The API key for Anthropic models.', fallback: 'no key', required: usesProvider('anthropic:') },
    text('an API key'),
  ),
  ANTHROPIC_BASE_URL: variable(
    { meaning: 'The base URL of the Anthropic API. A query is kept.', fallback: 'the URL of Anthropic' },
    urlWithQuery,
  ),
  SMTP_URL: variable(
    {
      meaning:
        'The SMTP server that sends links for new passwords, invitations and notices. ' +
        'With smtps the connection is encrypted from the start, with smtp after STARTTLS if the server offers it.',
      fallback: 'the service sends no email',
    },
    url('smtps://user:password@mail.example.com:465', 'smtp:', 'smtps:'),
  ),
  MAIL_FROM: variable(
    {
      meaning: 'The sender of emails.',
      fallback: 'the service sends no email',
      required: { condition: 'SMTP_URL is set', holds: ({ SMTP_URL }) => SMTP_URL !== undefined && SMTP_URL !== '' },
    },
    text('an email address', (value) => z.email().safeParse(value).success),
  ),
  ...CHALLENGE_VARIABLES,
  ...API_VARIABLES,
  TRUSTED_DOCUMENTS: variable(
    {
      meaning:
        'Whether clients can send GraphQL documents by ID. With prefer they can send IDs or full documents, ' +
        'with only nothing but IDs.',
      default: 'off',
    },
    choice(...TRUST_MODES),
  ),
  MAX_QUERY_DEPTH: variable(
    { meaning: 'The maximum depth of nested fields in a GraphQL document.', default: '20' },
    wholeNumber(1, 100),
  ),
  MAX_QUERY_COST: variable(
    { meaning: 'The maximum number of objects that a GraphQL document can request.', default: '20000' },
    wholeNumber(1, 100_000_000),
  ),
  REQUEST_TIMEOUT: variable(
    { meaning: 'The time limit of a read, in seconds. It applies to the REST API and the GraphQL API.', default: '30' },
    wholeNumber(1, 600),
  ),
  SHUTDOWN_DELAY: variable(
    {
      meaning:
        'How many seconds a stopping process continues to accept requests while /readyz returns 503. ' +
        'For load balancers that poll /readyz.',
      default: '0',
    },
    wholeNumber(0, 60),
  ),
  SHUTDOWN_TIMEOUT: variable(
    {
      meaning:
        'How many seconds a stopping process has after SHUTDOWN_DELAY. ' +
        'Running turns have 5 seconds less. Then other processes continue those that they can. ' +
        'Give the process 5 seconds more before you kill it.',
      default: '25',
    },
    wholeNumber(6, 3_600),
  ),
  LEASE_SECONDS: variable(
    {
      meaning:
        'How many seconds a process owns a run, a waiting message, an idempotency key or the check of a file unless it ' +
        'renews the ownership. ' +
        'When a process dies, its runs are settled within 2.5 times this value. ' +
        'All processes of a database need the same value: stop them all to change it.',
      default: '4',
    },
    wholeNumber(1, 30),
  ),
  AUDIT_LOG_DAYS: variable(
    {
      meaning:
        'How many days entries of the audit log are kept. A month of entries is deleted when its last entry is older, ' +
        'so entries are kept for up to a month longer. All processes of a database need the same value.',
      fallback: 'entries are kept without a time limit',
    },
    wholeNumber(1, 3_650),
  ),
  EVENT_LOG_DAYS: variable(
    {
      meaning:
        'How many days events are kept. A quarter of events is deleted so long after its end, so events are kept for up to three ' +
        'months longer. Events that a webhook still needs stay. All processes of a database need the same value.',
      fallback: 'events are kept without a time limit',
    },
    wholeNumber(7, 3_650),
  ),
  METRICS_TOKEN: variable(
    {
      meaning: 'The bearer token that lets other machines read /metrics.',
      fallback: 'only programs on the same machine can read /metrics',
    },
    text('32 to 1,024 visible ASCII characters, for example from `openssl rand -base64 32`', (value) =>
      /^[\x21-\x7e]{32,1024}$/.test(value),
    ),
  ),
  ...TELEMETRY_VARIABLES,
  LOG_LEVEL: variable(
    { meaning: 'The lowest level of log lines that are written.', default: 'info' },
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  BOOTSTRAP_API_KEY: variable(
    {
      meaning:
        'Used only for an empty database: the only API key that the first start creates. ' +
        'Its prefix names the environment.',
      fallback: 'the first start generates one key per environment and prints it',
    },
    text('sk_live_ or sk_test_ followed by 43 letters and digits', isApiKey),
  ),
  BOOTSTRAP_EMAIL: variable(
    { meaning: 'Used only for an empty database: the email address of the first owner.', fallback: 'demo@example.com' },
    text('an email address', (value) => z.email().safeParse(value).success),
  ),
  BOOTSTRAP_PASSWORD: variable(
    {
      meaning: 'Used only for an empty database: the password of the first owner. Parley never prints it.',
      fallback: 'the first start generates a password and prints it',
    },
    text('at least 12 characters', (value) => value.length >= 12),
  ),
} as const;
