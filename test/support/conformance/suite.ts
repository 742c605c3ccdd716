import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** The suite does not start with an earlier Node.js. */
export const SUITE_RUNS = Number(process.versions.node.split('.')[0]) >= 22;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export type SuiteResults = ReadonlyMap<string, readonly Check[]>;

/** The checks of each scenario that a revision requires of a server, and of those that it does not score. */
export async function runSuite(url: string, revision: string): Promise<SuiteResults> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  try {
    const args = [COMMAND, 'server', '--url', `${url}/mcp`, '--requirements', revision, '--output-dir', folder];
    // The command fails if a check does.
    await new Promise<void>((resolve) => {
      execFile(process.execPath, args, { timeout: 240_000, maxBuffer: 64 * 1024 * 1024 }, () => resolve());
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

/** `server-tools-list-2026-01-31T09-30-00-000Z` → `tools-list`. */
const scenarioOf = (folder: string): string => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
