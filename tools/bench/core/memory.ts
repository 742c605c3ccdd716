import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Target } from './processes.ts';

/** The Node options of a server whose memory is measured. */
export const PROBED = ['--expose-gc', '--import', join(ROOT, 'dist/bench/memory-probe.js')];

/** The memory of a server after garbage collection, in MB. It must have been started with `PROBED`. */
export async function memoryOf({ child }: Target): Promise<{ readonly heap: number; readonly rss: number }> {
  const response = new Promise<NodeJS.MemoryUsage>((resolve) =>
    child.once('message', (message) => resolve(message as never)),
  );
  child.send('memory');
  const { heapUsed, rss } = await response;
  return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}

/** The current memory of a process, garbage included, in MB. */
export function rssOf({ pid }: Pick<Target, 'pid'>): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 2 ** 10;
}
