import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_BYTES, sdkSize } from '../../tools/build-sdk.mjs';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

const run = promisify(execFile);

let service: TestService;
let project: string;
/** Paths in the tarball. */
let packed: string[];
let tarballPath: string;

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
  tarballPath = join(project, tarball?.filename ?? '');
  await npm('install', tarballPath);
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
  it('contains no server code and no more bytes than allowed', async () => {
    expect(packed.filter((path) => !/^(dist\/|reference\/\w+\.md$|package\.json$|README\.md$)/.test(path))).toEqual([]);
    expect(packed.filter((path) => /^dist\/(?!(cjs\/)?(sdk|contract)\/)/.test(path) && path.endsWith('.d.ts'))).toEqual(
      [],
    );
    for (const path of packed.filter((name) => name.endsWith('.js'))) {
      const code = await readFile(join(project, 'node_modules/@parley/sdk', path), 'utf8');
      const imported = [
        ...code.matchAll(/^(?:import|export)\b[^'"]*['"]([^'"]+)['"]|\brequire\(['"]([^'"]+)['"]\)/gm),
      ].map(([, from, required]) => from ?? required);
      expect(imported.filter((from) => !/^(\.{1,2}\/|react$)/.test(from ?? ''))).toEqual([]);
      expect(code).not.toMatch(/node:|ServiceError|prisma|graphqlExecute/);
    }
    expect(await sdkSize()).toBeLessThan(MOST_BYTES);
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
    expect(entries).toEqual(['dist/cjs/index.js', 'dist/cjs/sdk/index.d.ts', 'dist/cjs/sdk/react/index.d.ts']);
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

  it('has no problem that publint or arethetypeswrong find, also for CommonJS and node10', async () => {
    const { messages } = await publint({ pkgDir: join(project, 'node_modules/@parley/sdk'), strict: true });
    // The licence and the address of the repository are up to the owner.
    expect(messages.map(({ code, path }) => `${code} ${path.join('.')}`)).toEqual([]);
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarballPath)));
    expect(analysis.types && 'problems' in analysis && analysis.problems).toEqual([]);
  });

  const USE = `const client: ParleyClient = createClient({ baseUrl: 'https://parley.example.com', deploymentId: 'd' });
    export const server = createServerClient({ baseUrl: 'https://parley.example.com' });
    export const agent = client.createAgent();
    export const type: string = verifyWebhook.name;`;

  it.each([
    ['node10', 'commonjs', 'ts'],
    ['node16', 'node16', 'mts'],
    ['node16', 'node16', 'cts'],
    ['bundler', 'esnext', 'ts'],
  ])('compiles with moduleResolution %s and module %s in a .%s file', async (moduleResolution, module, extension) => {
    const name = `resolution-${moduleResolution}.${extension}`;
    const imports = `import { createClient, type ParleyClient } from '@parley/sdk';
    import { createServerClient, verifyWebhook } from '@parley/sdk/server';`;
    await writeFile(join(project, name), `${imports}\n${USE}`);
    // TypeScript 7 has no node10 any more. Users of older versions do.
    const require = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/core'));
    const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom'];
    const resolution = ['--module', module, '--moduleResolution', moduleResolution];
    const args = [require.resolve('typescript/bin/tsc'), ...options, ...resolution, name];
    const { stdout } = await run(process.execPath, args, { cwd: project }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it.each([
    [
      'module',
      "import { createServerClient, ParleyError } from '@parley/sdk/server'; import * as main from '@parley/sdk';",
    ],
    [
      'commonjs',
      "const { createServerClient, ParleyError } = require('@parley/sdk/server'); const main = require('@parley/sdk');",
    ],
  ])('works at runtime as %s, with one ParleyError for all entries', async (type, imports) => {
    const script = `${imports}
      (async () => {
        const { resources, events } = createServerClient({ baseUrl: process.env.PARLEY_URL, apiKey: process.env.PARLEY_KEY });
        const { id } = await resources.create({ type: 'packed', fields: { n: 1 } });
        for await (const event of events.list({ resourceId: id })) console.log(event.type);
        await resources.get('res_unknown').catch((error) => console.log(error instanceof main.ParleyError, error.code));
        console.log(ParleyError === main.ParleyError);
      })();`;
    const env = { ...process.env, PARLEY_URL: service.url, PARLEY_KEY: service.key };
    const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script], { cwd: project, env });
    expect(stdout.trim().split('\n')).toEqual(['resource.created', 'true not_found', 'true']);
  });
});
