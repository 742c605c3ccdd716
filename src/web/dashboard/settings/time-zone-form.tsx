import { useId } from 'react';
import * as z from 'zod/mini';
import { SET_TIME_ZONE as INPUT } from '../../../shapes/environment.ts';
import { FormTextField } from '../forms/fields.tsx';
import { requiredText } from '../forms/rules.ts';
import { SaveBar } from '../forms/save-bar.tsx';
import { type Stored, useEditForm } from '../forms/use-edit-form.ts';
import { useSend } from '../requests.ts';
import { SET_TIME_ZONE } from './documents.ts';

const schema = z.object({
  timeZone: requiredText('a time zone', INPUT.fields.timeZone.most).check(z.trim()),
});

const storedOf = (timeZone: string): Stored<z.input<typeof schema>> => ({ version: timeZone, values: { timeZone } });

/** The time zone in which the days and months of budgets begin. */
export function TimeZoneForm({ timeZone }: { readonly timeZone: string }) {
  const id = useId();
  const send = useSend(SET_TIME_ZONE);
  const form = useEditForm({
    schemaFor: () => schema,
    stored: storedOf(timeZone),
    async save(input) {
      const { data, error } = await send(input);
      return error ? { error } : { saved: storedOf(data.timeZone) };
    },
  });
  return (
    <form noValidate className="flex flex-col gap-4">
      <FormTextField
        control={form.control}
        name="timeZone"
        label="Time zone of budgets"
        hint="Days and months of budgets begin at midnight in this time zone, like Europe/Berlin. You cannot change it while a budget is daily or monthly."
        className="max-w-md"
        list={id}
        autoComplete="off"
        required
      />
      <datalist id={id}>
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SaveBar verb="Save time zone" form={form} />
    </form>
  );
}
