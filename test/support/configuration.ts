import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliResult, runCommand } from './cli.ts';
import type { TestService } from './service.ts';

/** Runs the commands for configuration as code against a service. */
export interface ConfigurationCli {
  readonly folder: string;
  write(name: string, text: string): Promise<string>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** Exports the environment. Fails if the command does. */
  exportConfig(env?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

export async function configurationCli(service: TestService): Promise<ConfigurationCli> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-configuration-'));
  const base = { PARLEY_URL: service.url, PARLEY_API_KEY: service.keys.test };
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCommand({ ...base, ...env }, args);
  return {
    folder,
    run,
    async write(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    async exportConfig(env = {}) {
      const { code, stdout, stderr } = await run(['export', 'config'], env);
      if (code !== 0) throw new Error(stderr);
      return stdout;
    },
    close: () => rm(folder, { recursive: true }),
  };
}

/** The token of a new session of the owner. */
export async function ownerSession(service: TestService): Promise<string> {
  const { body } = await service.send('POST', '/v1/sessions', { key: null, body: service.owner });
  return body.data.token;
}
