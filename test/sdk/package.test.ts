import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdkSize } from '../../tools/build-sdk.mjs';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

const run = promisify(execFile);

let service: TestService;
let project: string;
/** Paths in the tarball. */
let packed: string[];

const npm = (...args: string[]) => run('npm', [...args, '--no-audit', '--no-fund'], { cwd: project });

beforeAll(async () => {
  service = await startService();
  project = await mkdtemp(join(tmpdir(), 'parley-sdk-'));
  const { stdout } = await run('npm', ['pack', '-w', '@parley/sdk', '--json', '--pack-destination', project], {
    cwd: ROOT,
  });
  const [tarball] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string; files: { path: string }[] }[];
  packed = tarball?.files.map(({ path }) => path) ?? [];
  await npm('init', '-y');
  await npm('pkg', 'set', 'type=module');
  await npm('install', join(project, tarball?.filename ?? ''));
}, 180_000);
afterAll(async () => {
  await rm(project, { recursive: true, force: true });
  await service.close();
});

/** Runs a script of the project and returns its output. */
async function runScript(name: string, args: string[], input: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [name, ...args], { cwd: project, env: { PATH: process.env.PATH, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('@parley/sdk, packed', () => {
  it('contains no server code and at most 15,000 bytes compressed', async () => {
    expect(packed.filter((path) => !/^(dist\/|package\.json$|README\.md$)/.test(path))).toEqual([]);
    expect(packed.filter((path) => /^dist\/(?!sdk\/|contract\/)/.test(path) && path.endsWith('.d.ts'))).toEqual([]);
    for (const path of packed.filter((name) => name.endsWith('.js'))) {
      const code = await readFile(join(project, 'node_modules/@parley/sdk', path), 'utf8');
      const imported = [...code.matchAll(/^(?:import|export)\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, from]) => from);
      expect(imported.filter((from) => !/^(\.{1,2}\/|react$)/.test(from ?? ''))).toEqual([]);
      expect(code).not.toMatch(/node:|ServiceError|prisma|graphqlExecute/);
    }
    expect(await sdkSize()).toBeLessThan(15_000);
  });

  it('installs no dependencies', async () => {
    const installed = (await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual(['@parley']);
    expect(await readdir(join(project, 'node_modules/@parley'))).toEqual(['sdk']);
  });

  it('can be loaded with require', async () => {
    const script = `const { createClient, ParleyError } = require('@parley/sdk');
      console.log(typeof createClient, ParleyError.name);`;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: project });
    expect(stdout.trim()).toBe('function ParleyError');
  });

  it('names its entries in the fields that node10 resolution reads', async () => {
    const manifest = JSON.parse(await readFile(join(project, 'node_modules/@parley/sdk/package.json'), 'utf8'));
    const { main, types, typesVersions } = manifest;
    const entries = [main, types, ...typesVersions['*'].react].map((path: string) => path.replace(/^\.\//, ''));
    expect(entries).toEqual(['dist/index.js', 'dist/sdk/index.d.ts', 'dist/sdk/react/index.d.ts']);
    expect(packed).toEqual(expect.arrayContaining(entries));
  });

  it('marks the hooks as client code and can be imported under the react-server condition', async () => {
    const code = await readFile(join(project, 'node_modules/@parley/sdk/dist/react/index.js'), 'utf8');
    expect(code).toMatch(/^"use client";/);
    const react = join(project, 'node_modules/react');
    await symlink(join(ROOT, 'node_modules/react'), react);
    try {
      const script = "import { useAgent } from '@parley/sdk/react'; console.log(typeof useAgent);";
      const options = ['--conditions=react-server', '--input-type=module', '-e', script];
      expect((await run(process.execPath, options, { cwd: project })).stdout.trim()).toBe('function');
    } finally {
      await rm(react);
    }
  });

  it('runs the example in Node', async () => {
    await copyFile(join(ROOT, 'src/sdk/examples/agent.mjs'), join(project, 'agent.mjs'));
    const env = { PARLEY_URL: service.url, PARLEY_KEY: service.key };
    const { code, output } = await runScript('agent.mjs', [], 'Ann\npost\nbilling, other\n', env);
    expect(output).toMatch(/What is your name\?.*Assistant: Thank you\..*is completed\./s);
    expect(code).toBe(0);
    const unknown = { ...env, PARLEY_KEY: 'sk_test_none' };
    expect(await runScript('agent.mjs', [], '', unknown)).toMatchObject({
      code: 1,
      output: expect.stringContaining('unauthorized'),
    });
  });

  it('compiles in a TypeScript project with nodenext', async () => {
    await writeFile(
      join(project, 'use.ts'),
      `import { createClient, ParleyError, type AgentState } from '@parley/sdk';
      const client = createClient({ baseUrl: 'https://parley.example.com', deploymentId: 'd' });
      export const state: Promise<AgentState> = client.agent.start({ content: 'Hi' });
      export const texts = client.conversation.getState().messages.map(({ content }) => content);
      export const isOurs = (error: unknown): error is ParleyError => error instanceof ParleyError;
      // @ts-expect-error content is a text or parts
      client.agent.start({ content: 1 });`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    const { stdout } = await run(process.execPath, [tsc, ...options, 'use.ts'], { cwd: project });
    expect(stdout).toBe('');
  });
});
