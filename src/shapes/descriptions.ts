import { enumNameOf } from '../contract/enum-names.ts';
import { formatCount } from '../contract/quantities.ts';
import type { Field } from './field.ts';

/** The description of a field of an input: its meaning, bounds and default. */
export function inputText(field: Field): string {
  const { says, range, note, form } = field;
  const head = range === undefined || says.includes('{bounds}') ? says : `${says}: {bounds}`;
  const shown = head.startsWith('{bounds}') ? capitalized(range) : range;
  return sentences(`${head.replace('{bounds}', shown ?? '')}.`, note, defaultText(field), form);
}

function defaultText({ kind, byDefault, without, initial }: Field): string | undefined {
  if (without !== undefined) {
    const empty = kind === 'texts' ? 'Empty' : 'Null';
    return `${empty}${initial === undefined ? ', the default' : ''}: ${without}.`;
  }
  if (kind === 'flag' && typeof byDefault === 'boolean') return `Default: ${byDefault}.`;
  if (kind === 'choice' && typeof byDefault === 'string') return `Default: ${enumNameOf(byDefault)}.`;
  return typeof byDefault === 'number' ? `Default: ${formatCount(byDefault)}.` : undefined;
}

/** The description of a stored field. */
export function outputText({ kind, says, note, without }: Field): string {
  const empty = kind === 'texts' ? 'Empty' : 'Null';
  return sentences(
    `${says.replace(/[,:]? \{bounds\}/, '')}.`,
    note,
    without === undefined ? undefined : `${empty}: ${without}.`,
  );
}

const capitalized = (text = '') => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((one) => one !== undefined).join(' ');
}
