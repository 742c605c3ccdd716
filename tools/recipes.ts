import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { RECIPES } from './recipes/all.ts';
import type { Check, Edit, Recipe, Step } from './recipes/recipe.ts';

// `npm run recipes [PART OF A NAME]...`: does each recipe of CONTRIBUTING.md in a copy of the repository, and forgets each of
// its steps in turn. The check of the step must fail, and its failure must name the file to edit.

const ROOT = join(import.meta.dirname, '..');
const LINKED = ['node_modules', 'src/web/node_modules'];
/** What git ignores and the tests load. */
const GENERATED = 'src/db/generated';

function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'parley-recipes-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('test/engine/fixtures/'));
  for (const path of [...files, GENERATED])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  for (const path of LINKED) symlinkSync(join(ROOT, path), join(copy, path));
  return copy;
}

class Workshop {
  readonly folder = makeCopy();
  readonly #changed = new Set<string>();

  /** @throws {Error} if the text to replace is not there exactly once */
  apply(edits: readonly Edit[]): void {
    for (const { file, find, text } of edits) {
      const path = join(this.folder, file);
      this.#changed.add(file);
      mkdirSync(dirname(path), { recursive: true });
      if (find === undefined) {
        writeFileSync(path, text);
        continue;
      }
      const parts = readFileSync(path, 'utf8').split(find);
      if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times: ${find}`);
      writeFileSync(path, parts.join(text));
    }
  }

  restore(): void {
    for (const file of this.#changed) {
      const [from, to] = [join(ROOT, file), join(this.folder, file)];
      rmSync(to, { force: true });
      try {
        cpSync(from, to);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        // A new file, in a folder that the recipe created or that has other files.
        if (readdirSync(dirname(to)).length === 0) rmdirSync(dirname(to));
      }
    }
    this.#changed.clear();
  }

  /** Does a recipe, without one of its steps. */
  perform({ declares, steps }: Recipe, forgotten?: Step): void {
    for (const { edits } of declares) this.apply(edits);
    for (const step of steps) this.apply(step === forgotten ? (step.instead ?? []) : step.edits);
  }

  /** Does `npm run schema` in the copy. */
  async writeContracts(): Promise<void> {
    const { stdout } = await promisify(execFile)('npx', ['tsx', 'tools/schema.ts'], { cwd: this.folder });
    for (const [, file = ''] of stdout.matchAll(/^Wrote (.+)$/gm)) this.#changed.add(file);
  }

  /** The output of a check that fails. Undefined if it passes. */
  run(check: Check): Promise<string | undefined> {
    const [command = '', ...words] = commandOf(check);
    const env = { ...process.env, NO_COLOR: '1' };
    return new Promise((resolve) => {
      execFile(command, words, { cwd: this.folder, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
        resolve(error ? stdout + stderr : undefined),
      );
    });
  }
}

function commandOf(check: Check): string[] {
  if (check === 'schema') return ['npx', 'tsx', 'tools/schema.ts', '--check'];
  if (check === 'types') return ['npx', 'tsc', '--noEmit', '--incremental', 'false', '-p', 'tsconfig.recipes.json'];
  if (check === 'types of pages')
    return ['npx', 'tsc', '--noEmit', '--incremental', 'false', '-p', 'src/web/tsconfig.recipes.json'];
  return ['npx', 'vitest', 'run', '--project', 'unit', '--project', 'static', ...check.tests];
}

/** The files whose types the steps need: the whole project would take a minute. */
function limitTypes(workshop: Workshop, typed: readonly Step[]): void {
  const configurations = [
    { check: 'types', folder: '' },
    { check: 'types of pages', folder: 'src/web/' },
  ];
  for (const { check, folder } of configurations) {
    const files = typed
      .filter((step) => step.check === check)
      .flatMap(({ edits }) => edits.map(({ file }) => file.slice(folder.length)));
    const text = JSON.stringify({ extends: './tsconfig.json', include: [], files });
    writeFileSync(join(workshop.folder, folder, 'tsconfig.recipes.json'), text);
  }
}

let failures = 0;
function report(problem: string | undefined, step: string): void {
  if (problem !== undefined) failures += 1;
  console.log(problem === undefined ? `found    ${step}` : `MISSED   ${step}: ${problem}`);
}

/** Why a failure does not help the person who forgot the step. */
function problemOf(step: Step, output: string | undefined): string | undefined {
  if (output === undefined) return 'its check passes';
  const missing = step.names.filter((name) => !output.includes(name));
  return missing.length > 0 ? `its failure does not name ${missing.join(', ')}:\n${output}` : undefined;
}

const isTyped = ({ check }: Step) => check === 'types' || check === 'types of pages';

const titleOf = (recipe: Recipe, step: Step) =>
  `${recipe.name}, step ${step.number}: ${step.edits.map(({ file }) => file).join(', ') || 'npm run schema'}`;

/** The steps that a test or the contracts check. */
const testedSteps = ({ steps }: Recipe) => steps.filter((step) => !isTyped(step));

const testsOf = (steps: readonly Step[]) => [
  ...new Set(steps.flatMap(({ check }) => (typeof check === 'object' ? check.tests : []))),
];

/** Does all recipes completely. Their tests must pass then. */
async function judgeComplete(workshop: Workshop, recipes: readonly Recipe[]): Promise<void> {
  for (const recipe of recipes) workshop.perform(recipe);
  await workshop.writeContracts();
  const output = await workshop.run({ tests: testsOf(recipes.flatMap(testedSteps)) });
  if (output !== undefined) report(`a test fails:\n${output}`, 'all steps of all recipes');
  workshop.restore();
}

/** Forgets one step of every recipe, the one at this index. Recipes do not depend on each other, and starting a test takes long. */
async function judgeRound(workshop: Workshop, recipes: readonly Recipe[], index: number): Promise<void> {
  const forgotten = recipes.flatMap((recipe) => {
    const step = testedSteps(recipe)[index];
    workshop.perform(recipe, step);
    return step ? [{ recipe, step }] : [];
  });
  const tests = testsOf(forgotten.map(({ step }) => step));
  const ofTests = tests.length > 0 ? await workshop.run({ tests }) : undefined;
  const isContract = ({ step }: (typeof forgotten)[number]) => step.check === 'schema';
  const ofContracts = forgotten.some(isContract) ? await workshop.run('schema') : undefined;
  for (const one of forgotten)
    report(problemOf(one.step, isContract(one) ? ofContracts : ofTests), titleOf(one.recipe, one.step));
  workshop.restore();
}

/** Forgets all steps that types check, of all recipes at once: the compiler reports each, and starting it takes long. */
async function judgeTypes(workshop: Workshop, recipes: readonly Recipe[]): Promise<void> {
  const all = recipes.flatMap((recipe) => recipe.steps.filter(isTyped).map((step) => ({ recipe, step })));
  limitTypes(
    workshop,
    all.map(({ step }) => step),
  );
  for (const recipe of new Set(all.map(({ recipe }) => recipe)))
    for (const { edits } of recipe.declares) workshop.apply(edits);
  const checks = [...new Set(all.map(({ step }) => step.check))];
  for (const check of checks) {
    const output = await workshop.run(check);
    for (const { recipe, step } of all.filter((one) => one.step.check === check))
      report(problemOf(step, output), titleOf(recipe, step));
  }
  workshop.restore();
}

const parts = process.argv.slice(2);
const recipes = RECIPES.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const workshop = new Workshop();
try {
  await judgeTypes(workshop, recipes);
  await judgeComplete(workshop, recipes);
  const rounds = Math.max(...recipes.map((recipe) => testedSteps(recipe).length));
  for (let index = 0; index < rounds; index += 1) await judgeRound(workshop, recipes, index);
} finally {
  rmSync(workshop.folder, { recursive: true, force: true });
}
console.log(
  `${recipes.length} recipes, ${failures} forgotten steps without a helpful failure, ${Math.round(performance.now() / 1000)} s`,
);
if (failures > 0) process.exitCode = 1;
