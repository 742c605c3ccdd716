import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS } from './mutants/all.ts';
import type { Mutant } from './mutants/mutant.ts';

// `npm run mutants [PART OF A NAME]...`: applies each mutant alone to a copy of the project and runs the test file that must
// notice it. Needs TEST_DATABASE_URL. The report keeps the results of the mutants that were not run. It is written after
// each mutant, so an interrupted run loses nothing.

const ROOT = join(import.meta.dirname, '..');
const REPORT = join(ROOT, 'test/mutants/REPORT.md');
const COPIED = ['src', 'test', 'tools', 'schema', 'prisma', 'public', 'deploy', 'docs', 'dist'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts', 'vite.config.ts'];
/** Copies that are tested at the same time: one more than a small machine has cores, because a test often waits. */
const COPIES = 3;
const TIMEOUT_MS = 300_000;

interface Verdict {
  readonly mutant: Mutant;
  /** The name of the first test that failed. Undefined if every test passed. */
  readonly killedBy: string | undefined;
}

async function makeCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'parley-mutants-'));
  const options = { recursive: true, preserveTimestamps: true };
  const skipMissing = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  };
  for (const name of [...COPIED, ...FILES]) await cp(join(ROOT, name), join(copy, name), options).catch(skipMissing);
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

interface TestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Runs a test file in a copy. Returns the name of the first failed test.
 * @throws {Error} if no test ran: then nothing is known about the mutant
 */
async function firstFailure(copy: string, test: string): Promise<string | undefined> {
  const output = join(copy, 'report.json');
  await rm(output, { force: true });
  const args = ['vitest', 'run', '--bail=1', '--reporter=json', `--outputFile=${output}`];
  await new Promise<void>((resolve) => {
    execFile('npx', [...args, `test/${test}`], { cwd: copy, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, () =>
      resolve(),
    );
  });
  const text = await readFile(output, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Error(`test/${test} ended without a report, or took more than ${TIMEOUT_MS / 1_000} s`);
  const { testResults, numPassedTests } = JSON.parse(text) as TestReport;
  for (const { status, assertionResults, message } of testResults) {
    const failed = assertionResults.find((one) => one.status === 'failed');
    if (failed) return failed.fullName;
    if (status === 'failed') throw new Error(`test/${test} does not start: ${message.split('\n')[0]}`);
  }
  if (numPassedTests === 0) throw new Error(`test/${test} has no test that runs here`);
  return undefined;
}

async function judge(copy: string, mutant: Mutant): Promise<Verdict> {
  const path = join(copy, 'src', mutant.file);
  const source = await readFile(path, 'utf8');
  const parts = source.split(mutant.find);
  if (parts.length !== 2) throw new Error(`${mutant.file} has the text ${parts.length - 1} times`);
  await writeFile(path, parts.join(mutant.replace));
  try {
    return { mutant, killedBy: await firstFailure(copy, mutant.test) };
  } finally {
    await writeFile(path, source);
  }
}

const SURVIVED = '**survived**';

/** The rows of the report by the name of their mutant. */
async function readRows(): Promise<ReadonlyMap<string, string>> {
  const report = await readFile(REPORT, 'utf8').catch(() => '');
  return new Map([...report.matchAll(/^\| (.*?) \| `.*\|$/gm)].map(([row, name]) => [name ?? '', row]));
}

function reportOf(verdicts: readonly Verdict[], earlier: ReadonlyMap<string, string>): string {
  const current = new Map(
    verdicts.map(({ mutant: { name, file }, killedBy }) => [
      name,
      `| ${name} | \`${file}\` | ${killedBy?.replaceAll('|', '\\|') ?? SURVIVED} |`,
    ]),
  );
  const rows = MUTANTS.flatMap(({ name }) => current.get(name) ?? earlier.get(name) ?? []);
  const survivors = rows.filter((row) => row.includes(SURVIVED)).length;
  return [
    '# Mutants',
    '',
    'Each line is a guard of the source that was removed or reversed in a copy of the project, alone, and the first test',
    'that failed. `npm run mutants` writes this file. The table of mutants is in `tools/mutants`.',
    '',
    `${rows.length} mutants, ${survivors} survivors. Node ${process.version}, PostgreSQL.`,
    '',
    '| what the mutated code does | file | killed by |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (!process.env.TEST_DATABASE_URL) throw new Error('Set TEST_DATABASE_URL to a PostgreSQL server.');
const parts = process.argv.slice(2);
const mutants = MUTANTS.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const tests = [...new Set(mutants.map(({ test }) => test))];
const earlier = await readRows();
const verdicts: Verdict[] = [];

/** A mutant that survived, or of which nothing is known. The run goes on. */
function fail(problem: string): void {
  process.exitCode = 1;
  console.error(problem);
}

/** Runs a test without a mutant, which also makes the template database of the copy. Then judges the test's mutants. */
async function judgeAll(copy: string, test: string): Promise<void> {
  const failure = await firstFailure(copy, test);
  if (failure) throw new Error(`test/${test} fails without a mutant: ${failure}`);
  for (const mutant of mutants.filter((one) => one.test === test)) {
    try {
      const verdict = await judge(copy, mutant);
      verdicts.push(verdict);
      writeFileSync(REPORT, reportOf(verdicts, earlier));
      if (verdict.killedBy) console.log(`killed    ${mutant.name}`);
      else fail(`SURVIVED  ${mutant.name}`);
    } catch (error) {
      fail(`"${mutant.name}": ${(error as Error).message}`);
    }
  }
}

async function work(): Promise<void> {
  const copy = await makeCopy();
  try {
    for (let test = tests.shift(); test !== undefined; test = tests.shift())
      await judgeAll(copy, test).catch((error: Error) => fail(error.message));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

await Promise.all(Array.from({ length: Math.min(COPIES, tests.length) }, work));
