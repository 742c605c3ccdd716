import { CommandError } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { type Api, ApiError } from './api.ts';
import { printable } from './describe.ts';
import type { ApplyContext, FileItem, Step } from './item.ts';
import type { Plan } from './plan.ts';
import type { SourceFile } from './read-file.ts';
import { openSecrets } from './secrets.ts';
import { checkHeaderValues, INTEGRATIONS } from './simple-sections.ts';

export interface ApplyOptions {
  readonly allowBreaking: boolean;
  readonly secretsFile: string | undefined;
}

/** The variables that the plan sends. @throws {CommandError} that names each missing variable with its place */
export function requireVariables({ env }: Terminal, { config, at }: SourceFile, steps: readonly Step[]): void {
  const needed = steps.flatMap(({ variables = [] }) => variables);
  const missing = needed.filter(({ name }) => !env[name]);
  if (missing.length > 0) {
    const lines = missing.map(
      ({ name, path }) => `${at(path)} names the environment variable ${name}, which is not set.`,
    );
    throw new CommandError([...lines, 'Nothing was changed. Set the variables and repeat the command.'].join('\n'));
  }
  const sent = new Set(steps.filter(({ variables = [] }) => variables.length > 0).map(({ title }) => title));
  for (const item of INTEGRATIONS.items(config).filter(({ key }: FileItem) => sent.has(`integration "${key}"`))) {
    checkHeaderValues(item, (name) => env[name] ?? '');
  }
}

/** Runs the steps in their order. Returns the number of steps. @throws {CommandError} that names the failed step */
export async function applyPlan(
  api: Api,
  { steps, current }: Plan,
  { at }: SourceFile,
  terminal: Terminal,
  { allowBreaking, secretsFile }: ApplyOptions,
): Promise<void> {
  const createsSecrets = steps.some(({ createsSecret }) => createsSecret);
  const secrets = createsSecrets ? await openSecrets(terminal, secretsFile) : undefined;
  const context: ApplyContext = {
    api,
    workflowIds: new Map(current.workflows.map(({ key, workflowId }) => [key, workflowId])),
    revisions: new Map(current.workflows.map(({ key, revision }) => [key, revision])),
    drafts: new Map(current.workflows.map(({ key, config }) => [key, config])),
    deploymentIds: new Map(current.deployments.map(({ key, id }) => [key, id])),
    secret: (name) => terminal.env[name] ?? '',
    keepSecret: async (name, secret) => secrets?.keep(name, secret),
    allowBreaking,
  };
  try {
    for (const [done, step] of steps.entries()) {
      await step.run(context).catch((error: unknown) => {
        throw stepFailed(error, step, at, `${done} of ${steps.length}`);
      });
      terminal.stderr.write(printable(`Done: ${step.effect} ${step.title}\n`));
    }
  } finally {
    await secrets?.close();
  }
}

function stepFailed(error: unknown, { effect, title, path }: Step, at: SourceFile['at'], done: string): unknown {
  if (!(error instanceof CommandError)) return error;
  const fields = error instanceof ApiError ? error.path.map(fieldOf) : [];
  const place = path ? `${at([...path, ...fields])}: ` : '';
  const hint = error instanceof ApiError ? hintOf(error.code) : '';
  return new CommandError(
    printable(
      `${place}Failed to ${effect} ${title}: ${error.message}${hint}\n` +
        `Steps done: ${done}. Correct the problem and repeat the command: it continues with what is missing.`,
    ),
  );
}

/** The step of a path in the file, from a path of the API. */
function fieldOf(step: string): string | number {
  if (/^\d+$/.test(step)) return Number(step);
  return { draft: 'config', deploymentIds: 'deployments', workflowId: 'workflow' }[step] ?? step;
}

function hintOf(code: string): string {
  if (code === 'precondition_failed') return ' Somebody changed it after the plan was made.';
  return code === 'breaking_change' ? ' --allow-breaking publishes it anyway.' : '';
}
