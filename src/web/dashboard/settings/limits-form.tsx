import type { ResultOf } from 'gql.tada';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { ENVIRONMENT_LIMITS } from '../../../shapes/environment.ts';
import { FormTextField } from '../forms/fields.tsx';
import { SaveBar } from '../forms/save-bar.tsx';
import { formRules, formValues } from '../forms/shape-rules.ts';
import { type Stored, useEditForm } from '../forms/use-edit-form.ts';
import { useSend } from '../requests.ts';
import { type ENVIRONMENT_SETTINGS, SET_LIMITS } from './documents.ts';

type Limits = ResultOf<typeof ENVIRONMENT_SETTINGS>['environmentLimits'];

const schema = z.object(formRules(ENVIRONMENT_LIMITS));

/** Limits have no version of their own, so their values serve as one. */
const storedOf = (limits: Limits): Stored<z.input<typeof schema>> => {
  const values = formValues(ENVIRONMENT_LIMITS, limits);
  return { version: Object.values(values).join(' '), values };
};

const NUMBER = { inputMode: 'numeric', placeholder: 'No limit' } as const;

/** The limits of the environment. All callers share them. */
export function LimitsForm({ limits }: { readonly limits: Limits }) {
  const send = useSend(SET_LIMITS);
  const form = useEditForm({
    schemaFor: () => schema,
    stored: storedOf(limits),
    async save(input) {
      const { data, error } = await send({ input });
      return error ? { error } : { saved: storedOf(data.environmentLimits) };
    },
  });
  const { control } = form;
  return (
    <form noValidate className="flex flex-col gap-4">
      <p className="text-muted">
        All callers share these limits: API keys, members and visitors. Requests over a limit get 429, and background
        turns wait. Leave a field empty for no limit.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormTextField {...NUMBER} control={control} name="requestsPerMinute" label="Requests per minute" />
        <FormTextField {...NUMBER} control={control} name="concurrentRuns" label="Concurrent turns" />
        <FormTextField
          {...NUMBER}
          placeholder={String(LIMITS.defaultBackgroundRuns)}
          control={control}
          name="backgroundRuns"
          label="Concurrent background turns"
        />
        <FormTextField
          {...NUMBER}
          placeholder={String(LIMITS.defaultFileMegabytes)}
          control={control}
          name="fileMegabytes"
          label="Uploaded files in MiB"
        />
      </div>
      <SaveBar verb="Save limits" form={form} />
    </form>
  );
}
