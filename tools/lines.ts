import { execFileSync } from 'node:child_process';

// `npm run -s lines -- [OLD] [NEW]`: prints the lines in each folder of `src`, two levels deep, of two commits.

const NEWLINE = 10;

function git(args: readonly string[], input = ''): Buffer {
  return execFileSync('git', args, { input, maxBuffer: 1024 ** 3 });
}

/** The lines of each folder, with the sum as `src`. */
function linesOf(commit: string): Map<string, number> {
  const files = git(['ls-tree', '-r', '-z', '--format=%(objectname) %(path)', commit, 'src/']).toString().split('\0');
  const blobs = files.filter(Boolean).map((file) => [file.slice(0, 40), file.slice(41)] as const);
  const contents = git(['cat-file', '--batch'], blobs.map(([name]) => `${name}\n`).join(''));
  const lines = new Map<string, number>();
  let at = 0;
  for (const [, path] of blobs) {
    // Each content has a line with its size before it, and a newline after it.
    const start = contents.indexOf(NEWLINE, at) + 1;
    const end = start + Number(contents.toString('utf8', at, start).split(' ')[2]);
    at = end + 1;
    const count = contents.subarray(start, end).filter((byte) => byte === NEWLINE).length;
    const folders = path.split('/').slice(0, -1);
    for (const folder of new Set(['src', folders.slice(0, 3).join('/')]))
      lines.set(folder, (lines.get(folder) ?? 0) + count);
  }
  return lines;
}

const [before = 'HEAD~1', after = 'HEAD'] = process.argv.slice(2);
const [old, current] = [linesOf(before), linesOf(after)];
const row = (...cells: readonly unknown[]) => console.log(cells.map((cell) => String(cell).padStart(8)).join(''));
row(before.slice(0, 7), after.slice(0, 7), 'change');
for (const folder of [...new Set([...old.keys(), ...current.keys()])].sort()) {
  const [from, to] = [old.get(folder) ?? 0, current.get(folder) ?? 0];
  row(from, to, to - from, `  ${folder}`);
}
