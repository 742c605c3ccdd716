import { type Control, useController } from 'react-hook-form';
import type * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { DEPLOYMENT_FORM } from '../../../shapes/deployment.ts';
import { RadioOptions } from '../forms/radio-options.tsx';
import type { Settings, settingsSchema } from './settings-values.ts';

const DOUBLE_TEXT = [
  { value: 'REJECT', label: 'Reject it', hint: 'The new message gets 409, and the running turn continues.' },
  {
    value: 'ENQUEUE',
    label: 'Queue it',
    hint: `It waits for the turns before it. At most ${LIMITS.queuedTurns} messages wait.`,
  },
  {
    value: 'INTERRUPT',
    label: 'Interrupt the turn',
    hint: 'The running turn stops and keeps its text. The new message is next.',
  },
] as const;

const READER_GONE = [
  { value: 'STOP', label: 'Stop', hint: 'The model stops. The text so far is kept as the reply.' },
  {
    value: 'CONTINUE',
    label: 'Continue',
    hint: 'The turn runs to its end. The conversation then has the whole reply.',
  },
] as const;

interface Props {
  readonly control: Control<Settings, unknown, z.output<typeof settingsSchema>>;
}

/** The settings that decide what happens to a running turn. */
export function TurnChoices({ control }: Props) {
  return (
    <>
      <Choice control={control} name="doubleTextPolicy" options={DOUBLE_TEXT} />
      <Choice control={control} name="onReaderGone" options={READER_GONE} />
    </>
  );
}

interface ChoiceProps extends Props {
  readonly name: 'challenge' | 'doubleTextPolicy' | 'onReaderGone';
  readonly options: readonly { readonly value: string; readonly label: string; readonly hint: string }[];
}

/** A setting with a few values. */
export function Choice({ control, name, options }: ChoiceProps) {
  const { field } = useController({ control, name });
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">{DEPLOYMENT_FORM[name].title}</legend>
      <RadioOptions name={field.name} value={field.value} onChange={field.onChange} options={options} />
    </fieldset>
  );
}
