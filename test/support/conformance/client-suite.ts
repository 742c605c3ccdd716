import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMMAND } from './suite.ts';

const run = promisify(execFile);

interface Check {
  readonly id: string;
  readonly status: string;
}

interface ScenarioRun {
  readonly scenario: string;
  readonly revision: string;
  /** The command that starts the client. The suite adds the address of its server. */
  readonly command: string;
  /** Variables for the environment of the client. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a scenario for clients. Returns its checks. */
export async function runClientScenario({ scenario, revision, command, env }: ScenarioRun): Promise<readonly Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  try {
    const options = ['--scenario', scenario, '--spec-version', revision, '--output-dir', folder];
    // The command fails if a check does.
    await run(process.execPath, [COMMAND, 'client', '--command', command, ...options], {
      env: { ...process.env, ...env },
    }).catch(() => {});
    return JSON.parse(await readFile(await checksIn(folder), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The name of a scenario can contain a slash, which is part of the path of its folder. */
async function checksIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const name = names.find((one) => one.endsWith('checks.json'));
  if (name === undefined) throw new Error('The suite did not run the scenario.');
  return join(folder, name);
}

/** The checks that did not pass. */
export const failuresOf = (checks: readonly Check[]): readonly Check[] =>
  checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');

/** The names of all scenarios for clients. */
export async function clientScenarios(): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [COMMAND, 'list']);
  const [, clients = ''] = stdout.split(/^Client scenarios.*$/m);
  return [...(clients.split(/^\w.*scenarios/m)[0] ?? '').matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? '');
}

const OLD = '2025-11-25';
const MODERN = '2026-07-28';

/** Scenarios of both revisions. */
const OF_BOTH = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
];

const OF_MODERN = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
];

const OF_FIRST = ['2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'];

/** The scenarios of the sign-in with OAuth, with their revisions. */
export const SIGN_IN_SCENARIOS: readonly (readonly [scenario: string, revision: string])[] = [
  ...OF_BOTH.flatMap((name) => [[`auth/${name}`, OLD] as const, [`auth/${name}`, MODERN] as const]),
  ...OF_MODERN.map((name) => [`auth/${name}`, MODERN] as const),
  ...OF_FIRST.map((name) => [`auth/${name}`, '2025-03-26'] as const),
];
