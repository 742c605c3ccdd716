import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const COMMAND = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

const LIST = ['list', '--server', '--spec-version'];

/** The suite does not start with an earlier Node.js. */
export const SUITE_RUNS = Number(process.versions.node.split('.')[0]) >= 22;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export type SuiteResults = ReadonlyMap<string, readonly Check[]>;

/** The checks of each scenario that a revision requires of a server, and of those that it does not score. */
export const runSuite = (url: string, revision: string): Promise<SuiteResults> =>
  runServer(url, { requirements: revision });

/** The checks of one scenario. There are no checks if it could not end. */
export async function runScenario(url: string, scenario: string, revision: string): Promise<readonly Check[]> {
  const results = await runServer(url, { scenario, 'spec-version': revision });
  return results.get(scenario) ?? [];
}

async function runServer(url: string, options: Readonly<Record<string, string>>): Promise<SuiteResults> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  try {
    const all = { url: `${url}/mcp`, ...options, 'output-dir': folder };
    const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
    // The command fails if a check does.
    await new Promise<void>((resolve) => {
      const limits = { timeout: 240_000, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [COMMAND, 'server', ...args], limits, () => resolve());
    });
    return new Map(
      readdirSync(folder).map((name) => [
        scenarioOf(name),
        JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names of the scenarios for servers of this revision. */
export async function scenariosOf(revision: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...LIST, revision]);
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
}

/** The checks that did not pass, and their messages. */
export const failuresOf = (checks: readonly Check[]): { readonly id: string; readonly errorMessage?: string }[] =>
  checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, errorMessage }) => ({ id, ...(errorMessage !== undefined && { errorMessage }) }));

/** `server-tools-list-2026-01-31T09-30-00-000Z` → `tools-list`. */
export const scenarioOf = (folder: string): string =>
  folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
