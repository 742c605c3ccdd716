import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { RemoteCommand } from '../command.ts';
import { CommandError } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { API_OPTIONS, openApi } from './api.ts';
import { applyPlan, requireVariables } from './apply.ts';
import { describePlan } from './describe.ts';
import { type Plan, planOf } from './plan.ts';
import { readConfigurationFile } from './read-file.ts';

/** The exit code of `--plan` if there are changes. 2 is a usage error. */
const CHANGES = 3;

export const APPLY_COMMAND: RemoteCommand = {
  isRemote: true,
  name: 'apply',
  summary: 'Changes an environment to what a file says, over the API. Needs PARLEY_URL and PARLEY_API_KEY.',
  options: {
    file: { value: 'FILE', short: 'f', help: 'the configuration file', required: true },
    plan: { help: `only prints the changes; exit code 0: no changes, ${CHANGES}: changes, 1: failure` },
    yes: { help: 'applies without a question; required without a terminal' },
    prune: { help: 'also removes what the sections of the file do not list' },
    'send-secrets': {
      help: 'sends the header values of all integrations, and the client secret of the end-user issuer, again, because the API does not return them',
    },
    'allow-breaking': { help: 'publishes documents that break callers of their current version' },
    'secrets-file': {
      value: 'FILE',
      help: 'writes new secrets to a new file, as lines of JSON, instead of printing them',
    },
    ...API_OPTIONS,
  },
  async run(terminal, options) {
    const source = await readConfigurationFile(options.required('file'));
    const api = openApi(terminal, options);
    const isPrune = options.isSet('prune');
    const settings = { prune: isPrune, sendSecrets: options.isSet('send-secrets') };
    const plan = await planOf(api, source, settings);
    const text = `Environment: ${api.environment} of ${api.origin}\n\n${describePlan(plan, isPrune)}`;
    const isDone = plan.steps.length === 0;
    if (options.isSet('plan') || isDone) {
      return { data: dataOf(plan), text, exitCode: isDone ? 0 : CHANGES };
    }
    requireVariables(terminal, source, plan.steps);
    const out = options.isSet('json') ? terminal.stderr : terminal.stdout;
    out.write(`${text}\n`);
    if (!options.isSet('yes')) {
      await confirm(terminal, stepsIn(plan));
      const again = await planOf(api, source, settings);
      if (describePlan(again, isPrune) !== describePlan(plan, isPrune)) {
        throw new CommandError(
          'The environment changed while you read the plan. Nothing was applied. Repeat the command.',
        );
      }
    }
    const secretsFile = options.text('secrets-file');
    await applyPlan(api, plan, source, terminal, { allowBreaking: options.isSet('allow-breaking'), secretsFile });
    return { data: { ...dataOf(plan), applied: true }, text: `Applied ${stepsIn(plan)}.` };
  },
};

const stepsIn = ({ steps }: Plan) => (steps.length === 1 ? '1 step' : `${steps.length} steps`);

function dataOf({ steps, unchanged, others }: Plan): object {
  const titles = (effect: string) => steps.filter((step) => step.effect === effect).map(({ title }) => title);
  return {
    create: titles('create'),
    change: titles('change'),
    remove: titles('remove'),
    unchanged,
    not_in_file: others.map(({ title }) => title),
  };
}

/** @throws {CommandError} unless a person types yes */
async function confirm({ stdin, stderr }: Terminal, steps: string): Promise<void> {
  if (stdin.isTTY !== true) {
    throw new CommandError(
      'Nothing was applied, because there is no terminal to ask. Add --yes, or --plan to only compare.',
    );
  }
  stderr.write(`Apply ${steps}? Type yes to continue: `);
  const lines = createInterface({ input: stdin });
  const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  if (String(answer).trim() !== 'yes') throw new CommandError('Nothing was applied.');
}
