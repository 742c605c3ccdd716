import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/domain/access/tokens.ts';
import { emptyPostgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess, startProcess } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const REAL_MODEL = { DEFAULT_MODEL: 'openai:gpt-test', OPENAI_API_KEY: 'unused' };

/** The output of a start. It ends with the log of the first request. */
async function printed(process: ServiceProcess): Promise<string> {
  await fetch(`${process.url}/v1/me`);
  await until(async () => process.output.some((line) => line.includes('/v1/me')));
  return process.output.join('\n');
}

function hostedPages({ url }: ServiceProcess): Promise<number[]> {
  const paths = [`/chat/${DEMO_CHAT_ID}`, `/agent/${DEMO_AGENT_ID}`];
  return Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status));
}

const cleanUps: (() => Promise<void>)[] = [];

/**
 * An empty database. What a first start makes does not depend on its kind. A first start of the embedded one takes
 * seconds of CPU time, so it is used only without PostgreSQL.
 */
async function emptyDatabase(): Promise<Record<string, string>> {
  if (!POSTGRES_URL) return { DATA_DIR: 'memory' };
  const { env, remove } = await emptyPostgresStore();
  cleanUps.push(remove);
  const { BOOTSTRAP_API_KEY: _, ...database } = env;
  return database;
}

afterEach(async () => {
  await killAll();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

describe('a first start', () => {
  it('prints the migrations, an owner, a password, two keys, and the page of the demo chat', async () => {
    const process = await startProcess('', { DATA_DIR: 'memory' });
    const text = await printed(process);
    expect(text).toMatch(/^ {2}Migrations +\d+ applied in \d+\.\d s$/m);
    expect(text).toMatch(
      /Owner +demo@example\.com\n +Password +\S+\n +Live key +sk_live_\w{43}\n +Test key +sk_test_\w{43}/,
    );
    expect(text).toContain(`/chat/${DEMO_CHAT_ID}`);
    expect(await hostedPages(process)).toEqual([200, 200]);
  });

  it.each(['live', 'test'] as const)(
    'never prints values that the operator set, makes no %s counterpart, and prints a command that works',
    async (kind) => {
      const key = newApiKey(kind);
      const email = 'ada@example.com';
      const password = 'a password of the operator';
      const process = await startProcess(key, {
        ...(await emptyDatabase()),
        BOOTSTRAP_API_KEY: key,
        BOOTSTRAP_EMAIL: email,
        BOOTSTRAP_PASSWORD: password,
      });
      const text = await printed(process);
      for (const secret of [key, email, password]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/sk_(live|test)_/);
      expect(text).toContain('the key that you set in BOOTSTRAP_API_KEY');
      // The command to paste works.
      expect(text).toContain('"x-api-key: $BOOTSTRAP_API_KEY"');
      expect(await process.chat('Hello')).toMatchObject({ status: 200 });
      expect(await process.agentTurn('Hello')).toMatchObject({ status: 200 });
      const owner = await signIn(process, { owner: { email, password } });
      for (const environment of ['live', 'test']) {
        const headers = { 'x-environment': environment };
        const { body } = await process.graphql('{ apiKeys(first: 5) { nodes { id } } }', {}, { key: owner, headers });
        expect(body.data.apiKeys.nodes).toHaveLength(environment === kind ? 1 : 0);
      }
    },
  );
});

describe('the hosted pages of the demo deployments', () => {
  let path: string;
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'parley-pages-'));
  });
  afterAll(() => rm(path, { recursive: true, force: true }));

  it('are off after a first start with a model that costs tokens', async () => {
    const process = await startProcess('', { ...(await emptyDatabase()), ...REAL_MODEL });
    expect(await printed(process)).not.toContain('/chat/');
    expect(await hostedPages(process)).toEqual([404, 404]);
  });

  it('are turned off if a later start has such a model, unless a user has changed the deployment', async () => {
    const key = newApiKey('live');
    const database = POSTGRES_URL ? await emptyDatabase() : { DATA_DIR: path };
    const env = { ...database, BOOTSTRAP_API_KEY: key };
    const first = await startProcess(key, env);
    expect(await hostedPages(first)).toEqual([200, 200]);
    await first.kill('SIGTERM');

    const second = await startProcess(key, { ...env, ...REAL_MODEL });
    expect(second.output.join('\n')).not.toContain('Migrations');
    expect(await hostedPages(second)).toEqual([404, 404]);
    const open =
      'mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, hostedPage: true }) { __typename ... on UpdateDeploymentPayload { deployment { id } } ... on Error { code message path } } }';
    expect(errorOf(await second.graphql(open, { id: DEMO_CHAT_ID }))).toBeUndefined();
    await second.kill('SIGTERM');

    const third = await startProcess(key, { ...env, ...REAL_MODEL });
    expect(await hostedPages(third)).toEqual([200, 404]);
  });
});
