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

describe('the configuration', () => {
  it('needs nothing', () => {
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
      bootstrap: { email: 'demo@example.com' },
    });
  });

  it.each([
    ['2', 2],
    ['loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('trusts proxies by their number or their addresses: %s', (given, trustProxy) => {
    expect(readConfig({ ...MEMORY, TRUST_PROXY: given })).toMatchObject({ trustProxy });
  });

  it.each(['0', '11', 'true', 'example.com', '10.0.0.0/8/8', '10.0.0.1/x', 'loopback/8', ''.padEnd(3, ',')])(
    'trusts no proxies like %s',
    (given) => expect(problemsOf({ ...MEMORY, TRUST_PROXY: given }).join()).toMatch(/^TRUST_PROXY /),
  );

  it('opens as many connections to PostgreSQL as it is told', () => {
    const url = 'postgres://127.0.0.1/parley';
    const given = { DATABASE_URL: url, SECRET_KEY: newApiKey('live') };
    expect(readConfig(given).database).toEqual({ kind: 'postgresql', url });
    expect(readConfig({ ...given, DATABASE_POOL_SIZE: '25' }).database).toEqual({
      kind: 'postgresql',
      url,
      poolSize: 25,
    });
    expect(problemsOf({ ...given, DATABASE_POOL_SIZE: '0' })).toEqual([
      'DATABASE_POOL_SIZE must be a whole number from 1 to 1,000.',
    ]);
  });

  it('bounds what GraphQL takes', () => {
    expect(readConfig(MEMORY)).toMatchObject({
      introspection: true,
      trustedDocuments: 'off',
      maxQueryDepth: 20,
      maxQueryCost: 20_000,
      requestTimeoutMs: 30_000,
    });
    const set = {
      INTROSPECTION: 'off',
      TRUSTED_DOCUMENTS: 'only',
      MAX_QUERY_DEPTH: '9',
      MAX_QUERY_COST: '5',
      REQUEST_TIMEOUT: '2',
    };
    expect(readConfig({ ...MEMORY, ...set })).toMatchObject({
      introspection: false,
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
    ['MAX_QUERY_COST', 'none'],
    ['REQUEST_TIMEOUT', '0'],
    ['REQUEST_TIMEOUT', '601'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ ...MEMORY, [name]: value })).toEqual([expect.stringMatching(`^${name} must be`)]);
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
    ['DATA_DIR', { DATA_DIR: '/dev/null/parley' }],
  ])('says that %s is missing or wrong', (name, environment) => {
    expect(problemsOf(environment).map((problem) => problem.split(' ')[0])).toEqual([name]);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(problemsOf({ ...MEMORY, PORT: '', REDIS_URL: '', DEFAULT_MODEL: '' })).toEqual([]);
  });

  it('reads the environment of a bootstrap key from its prefix', () => {
    const secret = newApiKey('test');
    expect(readConfig({ ...MEMORY, BOOTSTRAP_API_KEY: secret }).bootstrap.apiKey).toEqual({
      environment: 'test',
      secret,
    });
  });

  it('makes the secret of an embedded service once, for its owner alone', () => {
    const directory = mkdtempSync(join(tmpdir(), 'parley-config-'));
    const first = readConfig({ DATA_DIR: directory }).secretKey;
    expect(readConfig({ DATA_DIR: directory }).secretKey).toBe(first);
    const path = join(directory, 'secret.key');
    expect(readFileSync(path, 'utf8').trim()).toBe(first);
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});
