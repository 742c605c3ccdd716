import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few MiB. */
export interface SmallDisk {
  readonly path: string;
  remove(): void;
}

/** Mounts a small file system. Returns undefined if this user cannot mount. */
export function smallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'parley-test-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    remove() {
      // A mount that is still busy is detached as soon as nothing uses it.
      execFileSync('umount', ['--lazy', path], { stdio: 'ignore' });
      rmSync(path, { recursive: true, force: true });
    },
  };
}
