import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './database.ts';

/** This build, with later migrations. */
export interface LaterRelease {
  /** A folder that `migrate` reads. */
  readonly root: string;
  add(name: string, script: string): Promise<void>;
  remove(): Promise<void>;
}

/** The migrations of this build, with later ones. */
export function laterMigrations(scripts: Readonly<Record<string, string>> = {}): Promise<LaterRelease> {
  return copyOf(['prisma'], scripts);
}

/** The service as a later release, to start with `startProcess`: the same code with more migrations. */
export async function laterRelease(scripts: Readonly<Record<string, string>>): Promise<LaterRelease> {
  const release = await copyOf(['dist', 'prisma', 'public', 'schema', 'package.json'], scripts);
  await symlink(join(ROOT, 'node_modules'), join(release.root, 'node_modules'));
  return release;
}

async function copyOf(parts: readonly string[], scripts: Readonly<Record<string, string>>): Promise<LaterRelease> {
  const root = await mkdtemp(join(tmpdir(), 'parley-later-'));
  for (const part of parts) await cp(join(ROOT, part), join(root, part), { recursive: true });
  const add = async (name: string, script: string) => {
    const folder = join(root, 'prisma/migrations', `99990101000000_${name}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'migration.sql'), script);
  };
  for (const [name, script] of Object.entries(scripts)) await add(name, script);
  return { root, add, remove: () => rm(root, { recursive: true }) };
}
