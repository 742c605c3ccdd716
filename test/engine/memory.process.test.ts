import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { killAll, startProcess } from '../support/process.ts';

/** Measured: 633 MB in the process that initializes the database, 340 to 370 MB in the service. */
const MAX_PEAK_MB = 700;

/** Measured: 340 to 370 MB. */
const MAX_AT_REST_MB = 400;

const PAGES = ['/', '/docs', '/openapi.json', '/dashboard'];

afterEach(killAll);

describe.skipIf(process.platform !== 'linux')('A first start on the embedded database', () => {
  it('stays within its memory limits, child processes included', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-memory-'));
    const peaks = new Map<number, number>();
    const sampling = setInterval(() => {
      for (const pid of descendantsOf(process.pid))
        peaks.set(pid, Math.max(peaks.get(pid) ?? 0, statusOf(pid, 'VmHWM')));
    }, 50);
    const service = await startProcess('', { DATA_DIR: join(dataDir, 'data') });
    for (const page of PAGES) await service.send('GET', page, { key: null });
    clearInterval(sampling);
    expect(statusOf(service.child.pid ?? 0, 'VmHWM')).toBeLessThan(MAX_PEAK_MB);
    expect(statusOf(service.child.pid ?? 0, 'VmRSS')).toBeLessThan(MAX_AT_REST_MB);
    // The service and the process that initializes the database.
    expect(peaks.size).toBeGreaterThanOrEqual(2);
    expect(Math.max(...peaks.values())).toBeLessThan(MAX_PEAK_MB);
    await service.kill('SIGKILL');
    await rm(dataDir, { recursive: true });
  });
});

/** Megabytes; 0 for a process that has ended. */
function statusOf(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

function descendantsOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
