import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import { stringify } from 'yaml';
import type { Step } from './item.ts';
import type { Plan } from './plan.ts';

/** Long texts are not folded: a fold would move when a word changes. */
export const yamlOf = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

/** Names come from the environment and may contain control characters, which a terminal would execute. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

const SIGNS = { create: '+', change: '~', remove: '-' } as const;

export function describePlan({ steps, unchanged, others }: Plan, isPrune: boolean): string {
  const rest = others.map(({ title, reason }) => `  ${title}${reason ? `: ${reason}` : ''}`);
  const restTitle = isPrune
    ? 'Not in the file, but --prune cannot remove them:'
    : 'Not in the file, left alone (--prune removes what the API can remove):';
  return printable(
    [
      ...steps.map(describeStep),
      ...(rest.length > 0 ? [[restTitle, ...rest, ''].join('\n')] : []),
      summary(steps, unchanged, others.length),
    ].join('\n'),
  );
}

function summary(steps: readonly Pick<Step, 'effect'>[], unchanged: number, others: number): string {
  const count = (effect: Step['effect']) => steps.filter((step) => step.effect === effect).length;
  const counts = `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove`;
  const verdict = steps.length === 0 ? 'No changes' : counts;
  return `Plan: ${verdict}. Unchanged: ${unchanged}. Not in the file: ${others}.`;
}

function describeStep({ effect, title, before, after, notes = [], variables = [] }: Step): string {
  const lines = [`${SIGNS[effect]} ${effect} ${title}`, ...notes];
  if (variables.length > 0) {
    const names = variables.map(({ name }) => name).join(', ');
    lines.push(`Sends the values of these environment variables: ${names}.`);
  }
  const patch = effect === 'remove' ? '' : difference(before, after);
  return [...lines, ...patch.split('\n').filter(Boolean)]
    .map((line, index) => `${index ? '    ' : ''}${line}\n`)
    .join('');
}

/** The unified difference of the items as YAML, without file names. */
function difference(before: object | undefined, after: object | undefined): string {
  if (!after) return '';
  const [from, to] = [before ? yamlOf(before) : '', yamlOf(after)];
  if (from === to) return '';
  return formatPatch(structuredPatch('', '', from, to, undefined, undefined, { context: 3 }), OMIT_HEADERS);
}
