import type { Control } from 'react-hook-form';
import type * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { FormJsonField, FormTextField } from '../forms/fields.tsx';
import { type Settings, setting, type settingsSchema } from './settings-values.ts';
import { Choice } from './turn-choices.tsx';

const CHALLENGES = [
  { value: 'OFF', label: 'Nothing', hint: 'Only the limits apply.' },
  {
    value: 'PROOF_OF_WORK',
    label: 'A proof of work',
    hint: `The browser computes for about a second, once for ${LIMITS.challengeStarts} starts. Hosted pages and the SDK do it automatically.`,
  },
  {
    value: 'PROVIDER',
    label: 'A challenge of a provider',
    hint: 'Your own page shows it. The operator of the service sets up the provider. Hosted pages cannot show it.',
  },
] as const;

const FIELDS = [
  setting('visitorTurnsPerHour', 'Per IP address, and per visitor.'),
  setting('visitorTurnsPerDay', 'Per IP address, and per visitor.'),
];

const BUDGETS = [
  setting('endUserBudget', 'In money or tokens. The period is TOTAL, DAY or MONTH.'),
  setting('visitorBudget', 'Callers without an identity share it.'),
];

const EXAMPLE = '{ "period": "DAY", "tokens": 100000 }';

interface Props {
  readonly control: Control<Settings, unknown, z.output<typeof settingsSchema>>;
}

/** The settings that limit callers without credentials. */
export function VisitorRules({ control }: Props) {
  return (
    <>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 font-medium">Limits of a visitor</legend>
        <div className="grid gap-4 sm:grid-cols-3">
          {FIELDS.map((field) => (
            <FormTextField key={field.name} control={control} {...field} />
          ))}
        </div>
      </fieldset>
      <Choice control={control} name="challenge" options={CHALLENGES} />
      <div className="grid gap-4 sm:grid-cols-2">
        {BUDGETS.map((field) => (
          <FormJsonField key={field.name} control={control} {...field} placeholder={EXAMPLE} />
        ))}
      </div>
    </>
  );
}
