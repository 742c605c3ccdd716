// `npm run image-drill` runs the last steps of the Dockerfile without a container runtime: it writes the tree of the image,
// measures it, and starts the service from it as another user who can write nothing but DATA_DIR.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freshBundle } from './build.mjs';
import { writeImageTree } from './image-tree.mjs';

const MIB = 1024 * 1024;

const MAX_MEGABYTES = 250;

/** Alpine Linux with libstdc++, without Node. */
const BASE_MEGABYTES = 12;

/** The user of the image. */
const UID = 10_001;

await freshBundle('main.js');
const tree = mkdtempSync(join(tmpdir(), 'parley-image-'));
const data = mkdtempSync(join(tmpdir(), 'parley-image-data-'));
try {
  writeImageTree(tree);
  const megabytes = Math.ceil((bytesIn(tree) + statSync(process.execPath).size) / MIB) + BASE_MEGABYTES;
  report(megabytes <= MAX_MEGABYTES, `size: ${megabytes} MB with Node and the base, of ${MAX_MEGABYTES} MB`);
  const isRoot = process.getuid() === 0;
  makeReadOnly(tree);
  if (isRoot) chownSync(data, UID, UID);
  await checkService(isRoot);
} finally {
  rmSync(tree, { recursive: true });
  rmSync(data, { recursive: true });
}

async function checkService(isRoot) {
  const key = `sk_test_${'k'.repeat(43)}`;
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: data,
    BOOTSTRAP_API_KEY: key,
    BOOTSTRAP_PASSWORD: 'of-the-drill-only',
  };
  const child = spawn(process.execPath, ['--liftoff-only', 'dist/main.js'], {
    cwd: tree,
    env,
    ...(isRoot && { uid: UID, gid: UID }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const url = await Promise.race([
    addressOf(child),
    exited.then(([code]) => Promise.reject(new Error(`exited with ${code}`))),
  ]);
  report(true, `start: as user ${isRoot ? UID : process.getuid()}, from a tree that nobody can write`);
  const authorization = `Bearer ${key}`;
  for (const path of ['/readyz', '/healthz', '/', '/docs', '/openapi.json', '/v1/resources']) {
    const { status } = await fetch(url + path, { headers: { authorization } });
    report(status === 200, `GET ${path}: ${status}`);
  }
  const turn = await fetch(`${url}/v2/runner/00000000-0000-4000-8000-000000000002/conversation`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] }),
  });
  report(turn.status === 200, `a turn: ${turn.status}`);
  child.kill('SIGTERM');
  const [code] = await exited;
  report(code === 0, `SIGTERM: exit code ${code}`);
}

/** The address that the service prints. */
function addressOf(child) {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^Parley runs at (\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });
}

function report(isOk, text) {
  console.log(`${isOk ? 'ok    ' : 'FAILED'}  ${text}`);
  if (!isOk) process.exitCode = 1;
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
}

function bytesIn(folder) {
  return filesIn(folder).reduce((sum, path) => sum + lstatSync(path).blocks * 512, 0);
}

/** A container has a read-only root file system. Here the permissions keep the user from writing. */
function makeReadOnly(folder) {
  for (const path of [folder, ...filesIn(folder)]) {
    const stats = lstatSync(path);
    if (!stats.isSymbolicLink()) chmodSync(path, stats.isDirectory() || stats.mode & 0o111 ? 0o555 : 0o444);
  }
}
