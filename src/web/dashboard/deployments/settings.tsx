import { type Control, useFieldArray, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { FormCheckbox, FormTextArea, FormTextField } from '../forms/fields.tsx';
import { ListError } from '../forms/pairs.tsx';
import { SaveBar } from '../forms/save-bar.tsx';
import { useEditForm } from '../forms/use-edit-form.ts';
import { Section } from '../frame/page-frame.tsx';
import { useSend } from '../requests.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { UPDATE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import { type Settings, settingsField, settingsInput, settingsSchema, storedSettings } from './settings-values.ts';
import { TurnChoices } from './turn-choices.tsx';
import { VisitorRules } from './visitor-rules.tsx';

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

/** The settings of a deployment. A change takes effect with the next request. */
export function SettingsSection({ deployment, canWrite }: Props) {
  const send = useSend(UPDATE_DEPLOYMENT);
  const { conflict, ...form } = useEditForm({
    schemaFor: () => settingsSchema,
    stored: storedSettings(deployment),
    async save(settings, base) {
      const input = { deploymentId: deployment.deploymentId, ...settingsInput(base, settings) };
      const { data, error } = await send({ input });
      return error ? { error } : { saved: storedSettings(data.deployment) };
    },
    mapField: settingsField,
  });
  const { control, unsaved } = form;
  return (
    <Section title="Settings">
      <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-6">
        <FormTextField
          control={control}
          name="name"
          label="Name"
          hint="Users see it on the hosted page."
          className="sm:max-w-md"
          required
        />
        <div className="flex flex-col gap-4">
          <FormCheckbox
            control={control}
            name="authRequired"
            label="Require credentials"
            hint="If off, anyone can start conversations from a page on the allowlist, within the limits below."
          />
          <FormCheckbox
            control={control}
            name="hostedPage"
            label="Hosted page"
            hint="Serves a page at its link and for the widget. Visitors need no credentials."
          />
          <FormCheckbox
            control={control}
            name="dynamicClientTools"
            label="Allow client tools in requests"
            hint="Clients can send their own tools in addition to those of the workflow."
          />
        </div>
        <Allowlist control={control} />
        <TurnChoices control={control} />
        <RateLimits control={control} />
        <VisitorRules control={control} />
        <FileRules control={control} />
        {canWrite && (
          <div className="flex flex-col gap-3 border-t border-line pt-4">
            <SaveBar verb="Save settings" form={form} />
          </div>
        )}
      </fieldset>
      <UnsavedChangesGuard unsaved={unsaved} />
    </Section>
  );
}

interface PartProps {
  readonly control: Control<Settings, unknown, z.output<typeof settingsSchema>>;
}

function Allowlist({ control }: PartProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'allowlist' });
  const authRequired = useWatch({ control, name: 'authRequired' });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium">Allowlist</legend>
      <p className="text-sm text-muted">
        Hosts like example.com. Their pages, and those of their subdomains, can use this deployment without credentials
        and embed its hosted page. {fields.length === 0 && !authRequired && 'While the list is empty, every page can.'}
      </p>
      {fields.map((row, index) => (
        <div key={row.id} className="flex items-start gap-2 sm:max-w-md">
          <FormTextField
            control={control}
            name={`allowlist.${index}.host`}
            label={`Host ${index + 1}`}
            placeholder="example.com"
            className="min-w-0 flex-1"
          />
          <Button look="quiet" className="mt-6" aria-label={`Remove host ${index + 1}`} onClick={() => remove(index)}>
            <Icon name="close" className="size-4" />
          </Button>
        </div>
      ))}
      <ListError control={control} name="allowlist" />
      <Button small className="self-start" onClick={() => append({ host: '' })}>
        <Icon name="plus" className="size-4" /> Add host
      </Button>
    </fieldset>
  );
}

const LIMIT_FIELDS = [
  {
    name: 'turnsPerMinute',
    label: 'Turns in total',
    hint: 'All callers together, with one-shot runs.',
    unset: 'No limit',
  },
  { name: 'anonymousPerMinute', label: 'Requests per IP address', hint: 'Without credentials.', unset: '120' },
  { name: 'conversationTurnsPerMinute', label: 'Turns per conversation', hint: 'Without credentials.', unset: '30' },
] as const;

function RateLimits({ control }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Limits per minute</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        {LIMIT_FIELDS.map(({ name, label, hint, unset }) => (
          <FormTextField
            key={name}
            control={control}
            name={name}
            label={label}
            hint={hint}
            inputMode="numeric"
            placeholder={unset}
          />
        ))}
      </div>
    </fieldset>
  );
}

function FileRules({ control }: PartProps) {
  const { defaultFileBytes, defaultAnonymousFileBytes } = LIMITS;
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 font-medium">Files</legend>
      <FormTextField
        control={control}
        name="maxFileBytes"
        label="Bytes of one file"
        hint={`If empty: ${formatCount(defaultFileBytes)}, and ${formatCount(defaultAnonymousFileBytes)} without credentials.`}
        inputMode="numeric"
        className="sm:max-w-md"
      />
      <FormTextArea
        control={control}
        name="fileTypes"
        label="Types of files"
        hint="One MIME type per line, like application/pdf or image/*. If empty, every type."
        rows={2}
        mono
        className="sm:max-w-md"
      />
    </fieldset>
  );
}
