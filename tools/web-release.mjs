// Puts newly built pages into the folder that processes serve, without removing a script that an open page may still load.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the scripts and styles of this release and of the one before it. */
const RELEASE = 'release.json';

/**
 * Copies the pages from `built` to `served`. The assets of the previous release stay: processes of that release and open
 * pages still load them. Assets of older releases are removed.
 * @param previous the pages of the previous release, if they are in another folder, as in an image for each release
 */
export function publishPages(built, served, previous = served) {
  const assets = readdirSync(join(built, 'assets'));
  const kept = keptAssets(assets, previous);
  mkdirSync(join(served, 'assets'), { recursive: true });
  if (previous !== served) {
    for (const name of kept.filter((one) => !assets.includes(one)))
      copyFileSync(join(previous, 'assets', name), join(served, 'assets', name));
  }
  cpSync(built, served, { recursive: true });
  writeFileSync(join(served, RELEASE), `${JSON.stringify({ assets, previous: kept })}\n`);
  const current = new Set([...assets, ...kept]);
  for (const name of readdirSync(join(served, 'assets'))) if (!current.has(name)) rmSync(join(served, 'assets', name));
}

/** The assets of the previous release. A build of the same source keeps those of the release before. */
function keptAssets(assets, previous) {
  const release = releaseOf(previous);
  const isSame = release.assets.length === assets.length && assets.every((name) => release.assets.includes(name));
  const names = isSame ? release.previous : release.assets;
  return names.filter((name) => existsSync(join(previous, 'assets', name)));
}

function releaseOf(folder) {
  const file = join(folder, RELEASE);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const assets = join(folder, 'assets');
  return { assets: existsSync(assets) ? readdirSync(assets) : [], previous: [] };
}
