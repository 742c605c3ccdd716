import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliAnswer, cli } from '../support/cli.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { directory, emptyPostgres, type Place, startAt } from '../support/places.ts';
import { killAll } from '../support/process.ts';

/** As the suite: on PostgreSQL where it is there. */
const PLACES: readonly [string, () => Promise<Place>][] = [
  POSTGRES_URL ? ['PostgreSQL', emptyPostgres] : ['a directory', directory],
];

/** What is refused is refused alike on both: one of them will do. */
const REFUSED_AT = PLACES.at(-1)?.[0];

const API_KEY = /sk_(live|test)_[0-9A-Za-z]{43}/;

describe.each(PLACES)("the operator's command line, on %s", (kind, open) => {
  let place: Place;
  let folder: string;
  beforeAll(async () => {
    place = await open();
    folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  });
  afterAll(async () => {
    await killAll();
    await place.remove();
    await rm(folder, { recursive: true });
  });

  const run = (line: string, input = '') => cli(place.env, line.split(' '), { input });

  /** What it answers where it succeeds. */
  async function done(line: string, input = ''): Promise<string> {
    const { code, stdout, stderr } = await run(line, input);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }

  const json = async (line: string, input = '') => JSON.parse(await done(`${line} --json`, input));

  function expectRefusal({ code, stdout, stderr }: CliAnswer, words: RegExp): void {
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\n\s+at /);
  }

  async function refuses(line: string, words: RegExp, input = ''): Promise<void> {
    if (kind === REFUSED_AT) expectRefusal(await run(line, input), words);
  }

  it('wants its tables first, and makes them', async () => {
    await refuses('create-workspace --name Acme', /not up to date.*migrate/);
    expect(await done('migrate')).toMatch(/^Applied .*_init, .*\.\n$/);
    expect(await json('migrate')).toEqual({ migrations: [] });
    await refuses('create-key --name A --scopes all', /no workspace yet.*create-workspace/);
  });

  it('makes workspaces', async () => {
    expect(await done('create-workspace --name Acme')).toMatch(/^Made the workspace Acme: [0-9a-f-]{36}\n$/);
    const made = await json('create-workspace --name Other');
    expect(made).toEqual({ workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Other' });
    await refuses(`create-workspace --name ${'x'.repeat(101)}`, /^--name must have at most 100/);
  });

  it('makes users, with a password that is shown once, or read from standard input', async () => {
    await refuses(
      'create-user --email ann@example.com --name Ann --role owner',
      /^--workspace must name one of them by its id: .*Acme/,
    );
    const text = await done('create-user --email ann@example.com --name Ann --role owner --workspace Acme');
    expect(text).toMatch(/^Made ann@example\.com owner of Acme\.\nThe password, shown this once: \w{20}\n$/);
    const password = 'a password of my own';
    const user = '--email Bob@Example.com --name Bob --role viewer --workspace Acme';
    const made = await json(`create-user ${user} --password-stdin`, `${password}\n`);
    expect(made).toEqual({ user_id: expect.any(String), email: 'Bob@Example.com', role: 'viewer' });
    await refuses(`create-user ${user}`, /^--email is that of another user\.\n$/);
    const other = '--email c@example.com --name C --workspace Acme';
    await refuses(`create-user ${other} --role boss`, /^--role must be one of owner, admin/);
    await refuses(`create-user ${other} --role viewer --password-stdin`, /^--password-stdin must/, 'short');
    await refuses(`create-user ${other} --role viewer --password-stdin`, /^--password-stdin found nothing/);
    await refuses('create-user --email c --name C --role viewer --workspace Acme', /^--email must be/);
  });

  it('makes and rotates keys', async () => {
    const text = await done('create-key --name A --scopes all --workspace Acme --environment test');
    expect(text).toMatch(API_KEY);
    const made = await json('create-key --name B --scopes events:read,resources:read --workspace Acme');
    expect(made).toMatchObject({ name: 'B', environment: 'live', scopes: ['events:read', 'resources:read'] });
    const rotated = await json(`rotate-key --key ${made.api_key_id}`);
    expect(rotated).toMatchObject({ api_key_id: made.api_key_id, secret: expect.stringMatching(/^sk_live_/) });
    expect(rotated.secret).not.toBe(made.secret);
    expect(await done(`rotate-key --key ${made.api_key_id}`)).toMatch(API_KEY);
    await refuses('rotate-key --key key_none', /^--key names none/);
    await refuses('create-key --name B --scopes fly --workspace Acme', /^--scopes\[0\] must be one of/);
    const key = 'create-key --name B --scopes all';
    await refuses(`${key} --workspace Nobody`, /^--workspace names none/);
    await refuses(`${key} --workspace Acme --environment prod`, /^--environment must be live or test/);
  });

  it('resets passwords, and tells how many sessions that ended', async () => {
    const text = await done('reset-password --email ann@example.com');
    expect(text).toMatch(/sessions ended: 0\.\nThe password, shown this once: \w{20}\n$/);
    const reset = await json('reset-password --email ANN@example.com --password-stdin', 'another password');
    expect(reset).toEqual({ user_id: expect.any(String), email: 'ANN@example.com', ended_sessions: 0 });
    await refuses('reset-password --email nobody@example.com', /^There is no user.*--email\.\n$/);
  });

  it('shows, sets and runs retention', async () => {
    const of = '--workspace Acme';
    expect(await json(`retention show ${of}`)).toEqual({ days: null, last_sweep: null });
    expect(await done(`retention set --days 30 ${of}`)).toBe(
      'Conversations are kept for 30 days.\nThere was no sweep yet.\n',
    );
    expect(await done(`retention run ${of}`)).toMatch(/took [\d.]+ s and deleted conversations: 0, triggers: 0/);
    const counts = { conversations: 0, triggers: 0, workflow_logs: 0 };
    expect(await json(`retention run ${of}`)).toMatchObject({ days: 30, last_sweep: { days: 30, ...counts } });
    expect(await json(`retention set --days forever ${of}`)).toMatchObject({ days: null, last_sweep: counts });
    expect(await done(`retention show ${of}`)).toMatch(/^Conversations are kept for ever\./);
    for (const days of ['0', '3651', 'soon']) {
      await refuses(`retention set --days ${days} ${of}`, /^--days must be/);
    }
  });

  it('exports to standard output and to a new file, what a service has stored', async () => {
    const service = await startAt(place);
    const { secret: key } =
      kind === 'PostgreSQL' ? await json('create-key --name C --scopes all --workspace Acme') : { secret: '' };
    // The embedded database is the service's while it runs.
    if (kind !== 'PostgreSQL') {
      expectRefusal(await run('export --workspace Acme'), /is in use by another Parley process.*DATA_DIR/);
      expectRefusal(await run('migrate --json'), /^\{"error":\{"message":".*in use by another/);
    } else {
      const note = { type: 'note', fields: { text: 'Kept' } };
      expect((await service.send('POST', '/v1/resources', { key, body: note })).status).toBe(201);
    }
    await service.kill('SIGTERM');
    const lines = (await run('export --workspace Acme')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const counts = kind === 'PostgreSQL' ? { resource: 1, event: 1 } : {};
    expect(lines[0]).toMatchObject({ type: 'export', data: { environment: 'live' } });
    expect(lines.at(-1)).toEqual({ type: 'end', counts });
    const output = join(folder, 'all.ndjson');
    expect(await json(`export --workspace Acme --output ${output}`)).toEqual({ output, counts });
    expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toHaveLength(lines.length);
    expect((await stat(output)).mode & 0o777).toBe(0o600);
    await refuses(`export --workspace Acme --output ${output}`, /^--output .* is there already/);
    await refuses(`export --workspace Acme --output ${folder}/no/where`, /cannot be written to \(ENOENT\)/);
    const none = `export --workspace Acme --output ${folder}/none --conversation`;
    await refuses(`${none} x`, /^--conversation must be a UUID/);
    await refuses(`${none} ${randomUUID()}`, /^There is no conversation .*--conversation\.\n$/);
    await expect(stat(`${folder}/none`)).rejects.toThrow('ENOENT');
  });

  it('is told to the audit log as the work of an operator', async () => {
    const output = join(folder, 'audit.ndjson');
    await done(`export --workspace Acme --output ${output}`);
    const service = await startAt(place);
    const signedIn = await service.graphql(
      'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
      { input: { email: 'ann@example.com', password: 'another password' } },
      { key: null },
    );
    const key: string = signedIn.body.data.signIn.token;
    const { body } = await service.graphql(
      '{ auditLog(first: 100) { nodes { action actorKind actorId address } } }',
      {},
      { key },
    );
    const entries: { action: string; actorKind: string; actorId: string }[] = body.data.auditLog.nodes;
    const ours = entries.filter(({ actorKind }) => actorKind === 'operator');
    expect(new Set(ours.map(({ action }) => action))).toEqual(
      new Set([
        'workspace.created',
        'member.created',
        'api_key.created',
        'api_key.rotated',
        'password.reset',
        'retention.set',
        'environment.exported',
      ]),
    );
    for (const entry of ours) expect(entry).toMatchObject({ actorId: expect.any(String), address: expect.any(String) });
    if (kind !== 'PostgreSQL') return;
    // Beside a running service: what it opened ends there at once.
    expect(await json('reset-password --email ann@example.com')).toMatchObject({ ended_sessions: 1 });
    expect((await service.send('GET', '/v1/me', { key })).status).toBe(401);
  });
});

// It asks no database: once is enough.
describe.skipIf(POSTGRES_URL)("the operator's command line", () => {
  const NOWHERE = { DATA_DIR: 'memory' };

  it('tells of all commands, of some and of each, from a fresh clone too', async () => {
    const all = await cli(NOWHERE, ['--help'], { program: ['npm', 'run', '-s', 'parley', '--'] });
    expect([all.code, all.stdout]).toEqual([0, expect.stringContaining('create-workspace')]);
    const commands = [...all.stdout.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?) {2,}/gm)].map(([, name]) => name ?? '');
    expect(commands).toHaveLength(10);
    for (const name of commands) {
      const { code, stdout } = await cli(NOWHERE, [...name.split(' '), '--help']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^Usage: npm run parley -- ${name} `)]);
      expect(stdout).toContain('--json');
    }
    expect((await cli(NOWHERE, ['retention', '--help'])).stdout).toContain('retention run');
  });

  it.each([
    [[], /^Name a command\.\nSee npm run parley -- --help\n$/],
    [['fly'], /^There is no command fly\./],
    [['retention'], /^Say which: retention show, retention set, retention run\./],
    [['create-workspace'], /^--name is required\.\nSee npm run parley -- create-workspace --help\n$/],
    [['create-workspace', '--name', ''], /^--name must not be empty\./],
    [['create-workspace', '--nam', 'A'], /'--nam'/],
    [['create-workspace', '--name'], /--name/],
    [['create-workspace', 'Acme'], /'Acme'/],
    [['create-user', '--password', 'x'], /'--password'/],
    [['retention', 'set'], /^--days is required\./],
  ])('called as %j is told what is wrong, and ends with 2', async (args, words) => {
    const { code, stdout, stderr } = await cli(NOWHERE, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });

  it.each([
    [{ DATA_DIR: 'memory' }, /DATA_DIR=memory keeps nothing/],
    [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be a URL/],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x', SECRET_KEY: 'x'.repeat(32) }, /does not answer \(ECONNREFUSED\)/],
  ])('says what is wrong with the configuration %j', async (env, words) => {
    const { code, stderr } = await cli(env as Record<string, string>, ['migrate']);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
  });
});
