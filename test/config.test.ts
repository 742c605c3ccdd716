import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { newApiKey } from '../src/domain/access/tokens.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const MEMORY = { DATA_DIR: 'memory' };

describe('configuration', () => {
  it('has a default for every required value', () => {
    const config = readConfig(MEMORY);
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      publicUrl: 'http://127.0.0.1:4000',
      allowLoopback: false,
      defaultModel: 'demo',
      database: { kind: 'memory' },
      introspection: true,
      logLevel: 'info',
      bootstrap: { email: undefined },
    });
  });

  it.each([
    ['2', 2],
    ['loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('accepts TRUST_PROXY=%s', (text, trustProxy) => {
    expect(readConfig({ ...MEMORY, TRUST_PROXY: text })).toMatchObject({ trustProxy });
  });

  it.each(['0', '11', 'true', 'example.com', '10.0.0.0/8/8', '10.0.0.1/x', 'loopback/8', ''.padEnd(3, ',')])(
    'rejects TRUST_PROXY=%s',
    (text) => expect(problemsOf({ ...MEMORY, TRUST_PROXY: text }).join()).toMatch(/^TRUST_PROXY /),
  );

  it('takes the currency of prices as a code of three capital letters', () => {
    expect(readConfig(MEMORY).currency).toBe('USD');
    expect(readConfig({ ...MEMORY, CURRENCY: 'EUR' }).currency).toBe('EUR');
    for (const wrong of ['eur', '€', 'EURO'])
      expect(problemsOf({ ...MEMORY, CURRENCY: wrong }).join()).toMatch(/^CURRENCY must be an ISO 4217 code/);
  });

  it('reads the URL past a pooler, which needs the URL through it', () => {
    const [url, sessionUrl] = ['postgres://pooler:6432/parley', 'postgres://server:5432/parley'];
    const environment = { DATABASE_SESSION_URL: sessionUrl, SECRET_KEY: 'x'.repeat(32) };
    const { database } = readConfig({ ...environment, DATABASE_URL: url });
    expect(database).toEqual({ kind: 'postgresql', url, sessionUrl, poolSize: 10 });
    expect(problemsOf(environment).join()).toMatch(/^DATABASE_URL .*DATABASE_SESSION_URL is set/);
  });

  it('requires a METRICS_TOKEN of at least 32 visible characters', () => {
    const token = newApiKey('live');
    expect(readConfig(MEMORY).metricsToken).toBeUndefined();
    expect(readConfig({ ...MEMORY, METRICS_TOKEN: token }).metricsToken).toBe(token);
    for (const wrong of ['a'.repeat(31), `${token} ${token}`])
      expect(problemsOf({ ...MEMORY, METRICS_TOKEN: wrong }).join()).toMatch(/^METRICS_TOKEN must be 32 to 1,024/);
  });

  it('keeps the audit log without a limit unless AUDIT_LOG_DAYS is set', () => {
    expect(readConfig(MEMORY).auditLogDays).toBeUndefined();
    expect(readConfig({ ...MEMORY, AUDIT_LOG_DAYS: '365' }).auditLogDays).toBe(365);
    expect(problemsOf({ ...MEMORY, AUDIT_LOG_DAYS: '0' }).join()).toMatch(/^AUDIT_LOG_DAYS must be a whole number/);
  });

  it('limits the connections to PostgreSQL to DATABASE_POOL_SIZE, 10 by default', () => {
    const url = 'postgres://127.0.0.1/parley';
    const environment = { DATABASE_URL: url, SECRET_KEY: newApiKey('live') };
    expect(readConfig(environment).database).toEqual({ kind: 'postgresql', url, poolSize: 10 });
    expect(readConfig({ ...environment, DATABASE_POOL_SIZE: '25' }).database).toEqual({
      kind: 'postgresql',
      url,
      poolSize: 25,
    });
    expect(problemsOf({ ...environment, DATABASE_POOL_SIZE: '0' })).toEqual([
      'DATABASE_POOL_SIZE must be a whole number from 1 to 1,000.',
    ]);
  });

  it('reads the GraphQL limits', () => {
    expect(readConfig(MEMORY)).toMatchObject({
      introspection: true,
      federation: false,
      trustedDocuments: 'off',
      maxQueryDepth: 20,
      maxQueryCost: 20_000,
      requestTimeoutMs: 30_000,
    });
    const set = {
      INTROSPECTION: 'off',
      FEDERATION: 'on',
      TRUSTED_DOCUMENTS: 'only',
      MAX_QUERY_DEPTH: '9',
      MAX_QUERY_COST: '5',
      REQUEST_TIMEOUT: '2',
    };
    expect(readConfig({ ...MEMORY, ...set })).toMatchObject({
      introspection: false,
      federation: true,
      trustedDocuments: 'only',
      maxQueryDepth: 9,
      maxQueryCost: 5,
      requestTimeoutMs: 2_000,
    });
  });

  it.each([
    ['INTROSPECTION', 'true'],
    ['TRUSTED_DOCUMENTS', 'on'],
    ['MAX_QUERY_DEPTH', '0'],
    ['MAX_QUERY_DEPTH', '101'],
    ['MAX_QUERY_COST', '1.5'],
    ['MAX_QUERY_COST', 'many'],
    ['REQUEST_TIMEOUT', '0'],
    ['REQUEST_TIMEOUT', '601'],
  ])('rejects %s=%s', (name, value) => {
    expect(problemsOf({ ...MEMORY, [name]: value })).toEqual([expect.stringMatching(`^${name} must be`)]);
  });

  it.each(['PUBLIC_URL', 'CHAT_URL'])('accepts %s only as a URL of a host', (name) => {
    const read = (value: string) => problemsOf({ ...MEMORY, [name]: value });
    for (const url of ['https://parley.example.com', 'http://[::1]:4000/']) expect(read(url)).toEqual([]);
    const ends = ['.com/parley', '.com/?a=b', '.com/#a'].map((end) => `https://parley.example${end}`);
    for (const url of [...ends, 'https://user@parley.example.com', 'https://user:x@parley.example.com'])
      expect(read(url)).toEqual([
        `${name} must be an http or https URL of a host, without a path: give the service a host name of its own.`,
      ]);
  });

  it.each([
    'S3_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OPENAI_BASE_URL',
    'ANTHROPIC_BASE_URL',
    'CHALLENGE_VERIFY_URL',
  ])('accepts a path in %s, and rejects a user name and a fragment', (name) => {
    const read = (value: string) =>
      problemsOf({ ...MEMORY, [name]: value }).filter((problem) => problem.startsWith(`${name} must be`));
    expect(read('https://example.com/a/b/')).toEqual([]);
    for (const url of ['https://user:x@example.com/a', 'https://example.com/a#b'])
      expect(read(url)).toEqual([expect.stringMatching(/must be an http or https URL without a user name/)]);
  });

  it('accepts a query in a base URL only if requests keep it', () => {
    const url = 'https://example.com/v1?api-version=1';
    for (const name of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'])
      expect(problemsOf({ ...MEMORY, [name]: url })).toEqual([]);
    const endpoint = problemsOf({ ...MEMORY, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(endpoint).toEqual([expect.stringMatching(/without a user name, a query and a fragment/)]);
  });

  it("reports every problem at once, each with its variable's name", () => {
    const problems = problemsOf({
      PORT: '70000',
      PUBLIC_URL: 'ftp://parley',
      DATABASE_URL: 'mysql://db',
      REDIS_URL: 'localhost:6379',
      ALLOW_LOOPBACK: 'yes',
      CHAT_URL: 'chat.example.com',
      TRUST_PROXY: '10.0.0.0/33',
      SECRET_KEYS_BEFORE: 'short',
      DEFAULT_MODEL: 'gpt',
      INTROSPECTION: 'no',
      LOG_LEVEL: 'loud',
      BOOTSTRAP_API_KEY: 'sk_live_short',
      BOOTSTRAP_EMAIL: 'nobody',
      BOOTSTRAP_PASSWORD: 'short',
    });
    const named = problems.map((problem) => problem.split(' ')[0]);
    expect(new Set(named)).toEqual(
      new Set([
        'PORT',
        'PUBLIC_URL',
        'DATABASE_URL',
        'REDIS_URL',
        'ALLOW_LOOPBACK',
        'CHAT_URL',
        'TRUST_PROXY',
        'SECRET_KEYS_BEFORE',
        'DEFAULT_MODEL',
        'INTROSPECTION',
        'LOG_LEVEL',
        'BOOTSTRAP_API_KEY',
        'BOOTSTRAP_EMAIL',
        'BOOTSTRAP_PASSWORD',
        'SECRET_KEY',
      ]),
    );
  });

  it.each([
    ['SECRET_KEY', { DATABASE_URL: 'postgres://db/parley' }],
    ['SECRET_KEY', { ...MEMORY, SECRET_KEY: 'short' }],
    ['OPENAI_API_KEY', { ...MEMORY, DEFAULT_MODEL: 'openai:gpt' }],
    ['ANTHROPIC_API_KEY', { ...MEMORY, DEFAULT_MODEL: 'anthropic:claude' }],
    ['OPENAI_BASE_URL', { ...MEMORY, DEFAULT_MODEL: 'openai-compatible:llama' }],
  ])('reports that %s is missing or not valid', (name, environment) => {
    expect(problemsOf(environment).map((problem) => problem.split(' ')[0])).toEqual([name]);
  });

  it('treats an empty variable as not set', () => {
    expect(problemsOf({ ...MEMORY, PORT: '', REDIS_URL: '', DEFAULT_MODEL: '' })).toEqual([]);
  });

  it('reads the environment of a bootstrap key from its prefix', () => {
    const secret = newApiKey('test');
    expect(readConfig({ ...MEMORY, BOOTSTRAP_API_KEY: secret }).bootstrap.apiKey).toEqual({
      environment: 'test',
      secret,
    });
  });

  it('generates the secret of an embedded service once, in a file that only its owner can read', () => {
    const directory = mkdtempSync(join(tmpdir(), 'parley-config-'));
    const first = readConfig({ DATA_DIR: directory }).secretKey;
    expect(readConfig({ DATA_DIR: directory }).secretKey).toBe(first);
    const path = join(directory, 'secret.key');
    expect(readFileSync(path, 'utf8').trim()).toBe(first);
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});
