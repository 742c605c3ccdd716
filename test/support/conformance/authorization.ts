import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMMAND, type SuiteResults, scenarioOf } from './suite.ts';

/** Before the name of each scenario in the name of its folder. */
const PREFIX = /^authorization-server-/;

interface AuthorizationRun {
  /** The address of the authorization server. */
  readonly url: string;
  readonly clientId: string;
  readonly resource: string;
  /** The port of the redirect URI `http://127.0.0.1:PORT/callback`, where the suite listens. */
  readonly port: number;
  /** Opens the address of an authorization request, and follows it as the browser of a member. */
  authorize(url: string): Promise<void>;
}

/** The checks of each scenario that the suite has for authorization servers. */
export async function runAuthorizationSuite(run: AuthorizationRun): Promise<SuiteResults> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  try {
    const { url, clientId, resource, port } = run;
    const options = { url, 'client-id': clientId, resource, port: String(port), 'output-dir': folder };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const suite = spawn(process.execPath, [COMMAND, 'authorization', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => suite.once('close', resolve));
    let authorizing: Promise<void> | undefined;
    for await (const line of createInterface({ input: suite.stdout })) {
      if (line.startsWith(`${url}/oauth/authorize?`)) authorizing = run.authorize(line).catch(() => void suite.kill());
    }
    await Promise.all([ended, authorizing]);
    return new Map(
      readdirSync(folder).map((name) => [
        scenarioOf(name.replace(PREFIX, '')),
        JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
