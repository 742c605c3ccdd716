import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, cli, runCommand } from '../support/cli.ts';
import { type DataStore, emptyDirectoryStore, emptyPostgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { signIn } from '../support/sign-in.ts';

/** Like the suite, on PostgreSQL if it is available. */
const STORES: readonly [string, () => Promise<DataStore>][] = [
  POSTGRES_URL ? ['PostgreSQL', emptyPostgresStore] : ['a directory', emptyDirectoryStore],
];

/** Rejections do not depend on the database, so one of them is enough. */
const REJECTED_ON = STORES.at(-1)?.[0];

const API_KEY = /sk_(live|test)_[0-9A-Za-z]{43}/;

describe.each(STORES)("the operator's command line, on %s", (kind, open) => {
  let store: DataStore;
  let folder: string;
  beforeAll(async () => {
    store = await open();
    folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
    await rm(folder, { recursive: true });
  });

  const run = (line: string, input = '') => runCommand(store.env, line.split(' '), input);

  /** Runs a command that must succeed. Returns its output. */
  async function runOrThrow(line: string, input = ''): Promise<string> {
    const { code, stdout, stderr } = await run(line, input);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }

  const json = async (line: string, input = '') => JSON.parse(await runOrThrow(`${line} --json`, input));

  function expectRejection({ code, stdout, stderr }: CliResult, message: RegExp): void {
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  }

  async function expectRejected(line: string, message: RegExp, input = ''): Promise<void> {
    if (kind === REJECTED_ON) expectRejection(await run(line, input), message);
  }

  it('requires its tables and creates them', async () => {
    await expectRejected('create-workspace --name Acme', /not up to date.*migrate/);
    const migrated = await cli(store.env, ['migrate']);
    expect(migrated).toEqual({ code: 0, stdout: expect.stringMatching(/^Applied .*_init, .*\.\n$/), stderr: '' });
    expect(await json('migrate')).toEqual({ migrations: [] });
    await expectRejected('create-key --name A --scopes all', /no workspace yet.*create-workspace/);
  });

  it('creates workspaces', async () => {
    expect(await runOrThrow('create-workspace --name Acme')).toMatch(/^Created the workspace Acme: [0-9a-f-]{36}\n$/);
    const created = await json('create-workspace --name Other');
    expect(created).toEqual({ workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Other' });
    await expectRejected(`create-workspace --name ${'x'.repeat(101)}`, /^--name must have at most 100/);
  });

  it('creates users with a password that is shown once or read from standard input', async () => {
    await expectRejected(
      'create-user --email ann@example.com --name Ann --role owner',
      /^--workspace must be the ID of one workspace\. Candidates: .*Acme/,
    );
    const text = await runOrThrow('create-user --email ann@example.com --name Ann --role owner --workspace Acme');
    expect(text).toMatch(/^Created ann@example\.com as owner of Acme\.\nThe password, shown only once: \w{20}\n$/);
    const password = 'a password of my own';
    const user = '--email Bob@Example.com --name Bob --role viewer --workspace Acme';
    const options = { input: `${password}\n` };
    const created = await cli(store.env, `create-user ${user} --password-stdin --json`.split(' '), options);
    expect(JSON.parse(created.stdout)).toEqual({
      user_id: expect.any(String),
      email: 'Bob@Example.com',
      role: 'viewer',
    });
    await expectRejected(`create-user ${user}`, /^--email belongs to another user\.\n$/);
    const other = '--email c@example.com --name C --workspace Acme';
    await expectRejected(`create-user ${other} --role boss`, /^--role must be one of owner, admin/);
    await expectRejected(`create-user ${other} --role viewer --password-stdin`, /^--password-stdin must/, 'short');
    await expectRejected(
      `create-user ${other} --role viewer --password-stdin`,
      /^--password-stdin: standard input is empty/,
    );
    await expectRejected('create-user --email c --name C --role viewer --workspace Acme', /^--email must be/);
  });

  it('creates and rotates keys', async () => {
    const text = await runOrThrow('create-key --name A --scopes all --workspace Acme --environment test');
    expect(text).toMatch(API_KEY);
    const created = await json('create-key --name B --scopes events:read,resources:read --workspace Acme');
    expect(created).toMatchObject({ name: 'B', environment: 'live', scopes: ['events:read', 'resources:read'] });
    const rotated = await json(`rotate-key --key ${created.api_key_id}`);
    expect(rotated).toMatchObject({ api_key_id: created.api_key_id, secret: expect.stringMatching(/^sk_live_/) });
    expect(rotated.secret).not.toBe(created.secret);
    expect(await runOrThrow(`rotate-key --key ${created.api_key_id}`)).toMatch(API_KEY);
    const restricted = await json(
      'create-key --name C --scopes events:read --workspace Acme --expires-at 2099-01-01 --allowed-ip-ranges 10.0.0.1/8,::1',
    );
    expect(restricted).toMatchObject({
      expires_at: '2099-01-01T00:00:00.000Z',
      allowed_ip_ranges: ['10.0.0.0/8', '::1/128'],
      deployment_ids: [],
    });
    const overlapping = await json(`rotate-key --key ${restricted.api_key_id} --overlap-hours 2`);
    expect(Date.parse(overlapping.previous_secret_expires_at)).toBeGreaterThan(Date.now());
    await expectRejected(`rotate-key --key ${restricted.api_key_id} --overlap-hours 25`, /^--overlap-hours must be/);
    await expectRejected(
      'create-key --name D --scopes all --expires-at soon --workspace Acme',
      /^--expires-at must be/,
    );
    await expectRejected(
      'create-key --name D --scopes all --allowed-ip-ranges 10.1 --workspace Acme',
      /^--allowed-ip-ranges\[0\] must be an IP address/,
    );
    await expectRejected('rotate-key --key key_none', /^--key must be the ID of an existing API key/);
    await expectRejected('create-key --name B --scopes fly --workspace Acme', /^--scopes\[0\] must be one of/);
    const key = 'create-key --name B --scopes all';
    await expectRejected(`${key} --workspace Nobody`, /^--workspace must be the ID or name of an existing workspace/);
    await expectRejected(`${key} --workspace Acme --environment prod`, /^--environment must be live or test/);
  });

  it('resets passwords and returns the number of ended sessions', async () => {
    const text = await runOrThrow('reset-password --email ann@example.com');
    expect(text).toMatch(/Revoked sessions: 0\.\nThe password, shown only once: \w{20}\n$/);
    const reset = await json('reset-password --email ANN@example.com --password-stdin', 'another password');
    expect(reset).toEqual({ user_id: expect.any(String), email: 'ANN@example.com', ended_sessions: 0 });
    await expectRejected('reset-password --email nobody@example.com', /^There is no user.*--email\.\n$/);
  });

  it('shows a link for a new password, and resets second factors', async () => {
    const text = await runOrThrow('password-link --email ann@example.com');
    expect(text).toMatch(/shown only once: http:\S+\/dashboard\/reset-password#token=reset_[\dA-Za-z]{43}\n$/);
    const { url } = await json('password-link --email ANN@example.com');
    expect(text).not.toContain(url);
    await expectRejected('password-link --email nobody@example.com', /^There is no user.*--email\.\n$/);
    expect(await runOrThrow('reset-second-factors --email Ann@example.com')).toMatch(/^Removed the second factors of /);
  });

  it('assigns and removes domains for single sign-on, and allows passwords', async () => {
    const of = '--workspace Acme';
    expect(await json(`assign-domain --domain Example.COM ${of}`)).toEqual({ domain: 'example.com' });
    await expectRejected(`assign-domain --domain example.com ${of}`, /^--domain is already assigned/);
    await expectRejected(`assign-domain --domain nonsense ${of}`, /^--domain must be a domain like example\.com/);
    expect(await runOrThrow(`remove-domain --domain example.com ${of}`)).toBe('Removed example.com from Acme.\n');
    await expectRejected(`remove-domain --domain example.com ${of}`, /^--domain is not a domain of the workspace/);
    expect(await runOrThrow(`allow-passwords ${of}`)).toBe('Acme does not require single sign-on.\n');
  });

  it('shows, sets and runs retention', async () => {
    const of = '--workspace Acme';
    expect(await json(`retention show ${of}`)).toEqual({ days: null, trace_days: 30, last_sweep: null });
    expect(await runOrThrow(`retention set --days 30 --trace-days 7 ${of}`)).toBe(
      'Conversations are kept for 30 days.\nTraces are kept for 7 days.\nNo sweep has run yet.\n',
    );
    expect(await runOrThrow(`retention run ${of}`)).toMatch(/took [\d.]+ s and deleted conversations: 0, triggers: 0/);
    const counts = { conversations: 0, triggers: 0, workflow_logs: 0 };
    expect(await json(`retention run ${of}`)).toMatchObject({ days: 30, last_sweep: { days: 30, ...counts } });
    expect(await json(`retention set --days forever ${of}`)).toMatchObject({ days: null, last_sweep: counts });
    expect(await runOrThrow(`retention show ${of}`)).toMatch(/^Conversations are kept without a time limit\./);
    for (const days of ['0', '3651', 'soon']) {
      await expectRejected(`retention set --days ${days} ${of}`, /^--days must be/);
    }
    for (const days of ['366', 'soon']) {
      await expectRejected(`retention set --days 30 --trace-days ${days} ${of}`, /^--trace-days must be/);
    }
  });

  it('exports the data of a service to standard output and to a new file', async () => {
    const service = await startOn(store);
    const { secret: key } =
      kind === 'PostgreSQL' ? await json('create-key --name C --scopes all --workspace Acme') : { secret: '' };
    // Only the service can use the embedded database while it runs.
    if (kind !== 'PostgreSQL') {
      expectRejection(await run('export --workspace Acme'), /is in use by another Parley process.*DATA_DIR/);
      expectRejection(await run('migrate --json'), /^\{"error":\{"message":".*in use by another/);
    } else {
      const note = { type: 'note', fields: { text: 'Kept' } };
      expect((await service.send('POST', '/v1/resources', { key, body: note })).status).toBe(201);
    }
    await service.kill('SIGTERM');
    const lines = (await cli(store.env, ['export', '--workspace', 'Acme'])).stdout
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
    await expectRejected(`export --workspace Acme --output ${output}`, /^--output .* already exists/);
    await expectRejected(`export --workspace Acme --output ${folder}/no/where`, /cannot be written \(ENOENT\)/);
    const empty = `export --workspace Acme --output ${folder}/unwritten --conversation`;
    await expectRejected(`${empty} x`, /^--conversation must be a UUID/);
    await expectRejected(`${empty} ${randomUUID()}`, /^There is no conversation .*--conversation\.\n$/);
    await expect(stat(`${folder}/unwritten`)).rejects.toThrow('ENOENT');
  });

  it('appears in the audit log as an operator', async () => {
    const output = join(folder, 'audit.ndjson');
    await runOrThrow(`export --workspace Acme --output ${output}`);
    const service = await startOn(store);
    const key = await signIn(service, { owner: { email: 'ann@example.com', password: 'another password' } });
    const { body } = await service.graphql(
      '{ auditLog(first: 100) { nodes { action actorKind actorId address } } }',
      {},
      { key },
    );
    const entries: { action: string; actorKind: string; actorId: string }[] = body.data.auditLog.nodes;
    const operatorEntries = entries.filter(({ actorKind }) => actorKind === 'OPERATOR');
    expect(new Set(operatorEntries.map(({ action }) => action))).toEqual(
      new Set([
        'WORKSPACE_CREATED',
        'SECOND_FACTOR_RESET',
        'MEMBER_CREATED',
        'API_KEY_CREATED',
        'API_KEY_ROTATED',
        'PASSWORD_RESET',
        'PASSWORD_LINK_CREATED',
        'SIGN_IN_DOMAIN_ASSIGNED',
        'SIGN_IN_DOMAIN_REMOVED',
        'RETENTION_SET',
        'ENVIRONMENT_EXPORTED',
      ]),
    );
    for (const entry of operatorEntries)
      expect(entry).toMatchObject({ actorId: expect.any(String), address: expect.any(String) });
    if (kind !== 'PostgreSQL') return;
    // While a service runs, this ends its open sessions at once.
    expect(await json('reset-password --email ann@example.com')).toMatchObject({ ended_sessions: 1 });
    expect((await service.send('GET', '/v1/me', { key })).status).toBe(401);
  });
});

describe("the operator's command line", () => {
  const NOWHERE = { DATA_DIR: 'memory' };

  it('shows help for all commands, for groups and for each, from a fresh clone too', async () => {
    const all = await cli(NOWHERE, ['--help'], { program: ['npm', 'run', '-s', 'parley', '--'] });
    expect([all.code, all.stdout]).toEqual([0, expect.stringContaining('create-workspace')]);
    const commands = [...all.stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}/gm)].map(([, name]) => name ?? '');
    expect(commands).toHaveLength(20);
    for (const name of commands) {
      const { code, stdout } = await runCommand(NOWHERE, [...name.split(' '), '--help']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^Usage: npm run parley -- ${name} `)]);
      expect(stdout).toContain('--json');
    }
    expect((await runCommand(NOWHERE, ['retention', '--help'])).stdout).toContain('retention run');
  });

  it.each([
    [[], /^A command is missing\.\nSee npm run parley -- --help\n$/],
    [['fly'], /^There is no command fly\./],
    [['retention'], /^The command is incomplete\. Use one of: retention show, retention set, retention run\./],
    [['create-workspace'], /^--name is required\.\nSee npm run parley -- create-workspace --help\n$/],
    [['create-workspace', '--name', ''], /^--name must not be empty\./],
    [['create-workspace', '--nam', 'A'], /'--nam'/],
    [['create-workspace', '--name'], /--name/],
    [['create-workspace', 'Acme'], /'Acme'/],
    [['create-user', '--password', 'x'], /'--password'/],
    [['retention', 'set'], /^--days is required\./],
  ])('reports the fault of %j and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(NOWHERE, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('ends its process with the exit code of the command', async () => {
    expect(await cli(NOWHERE, ['fly'])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli(NOWHERE, ['migrate'])).toMatchObject({ code: 1, stdout: '' });
  });

  it.each([
    [{ DATA_DIR: 'memory' }, /DATA_DIR=memory stores nothing/],
    [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be a URL/],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x', SECRET_KEY: 'x'.repeat(32) }, /does not respond \(ECONNREFUSED\)/],
  ])('reports the fault of the configuration %j', async (env, message) => {
    const { code, stderr } = await runCommand(env as Record<string, string>, ['migrate']);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
