import { type Control, useFieldArray, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { DEPLOYMENT_FORM } from '../../../shapes/deployment.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FormCheckbox, FormTextArea, FormTextField } from '../forms/fields.tsx';
import { ListError } from '../forms/pairs.tsx';
import { SaveBar } from '../forms/save-bar.tsx';
import { useEditForm } from '../forms/use-edit-form.ts';
import { Section } from '../frame/page-frame.tsx';
import { useSend } from '../requests.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { UPDATE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import {
  type Settings,
  setting,
  settingsField,
  settingsInput,
  settingsSchema,
  storedSettings,
} from './settings-values.ts';
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
            {...setting(
              'authRequired',
              'If off, anyone can start conversations from a page on the allowlist, within the limits below.',
            )}
          />
          <FormCheckbox
            control={control}
            {...setting('hostedPage', 'Serves a page at its link and for the widget. Visitors need no credentials.')}
          />
          <FormCheckbox
            control={control}
            {...setting('dynamicClientTools', 'Clients can send their own tools in addition to those of the workflow.')}
          />
          <FormCheckbox
            control={control}
            {...setting(
              'allowEditing',
              'Visitors and end users can edit messages, regenerate replies and fork conversations. Members and keys always can.',
            )}
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
      <legend className="font-medium">{DEPLOYMENT_FORM.allowlist.title}</legend>
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
  setting('turnsPerMinute', 'All callers together, with one-shot runs.'),
  {
    ...setting('anonymousPerMinute', `Without credentials. If empty: ${DEPLOYMENT_FORM.anonymousPerMinute.without}.`),
    placeholder: 'Depends on the request',
  },
  setting('conversationTurnsPerMinute', 'Without credentials.'),
];

function RateLimits({ control }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Limits per minute</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        {LIMIT_FIELDS.map((field) => (
          <FormTextField key={field.name} control={control} {...field} />
        ))}
      </div>
    </fieldset>
  );
}

function FileRules({ control }: PartProps) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 font-medium">Files</legend>
      <FormTextField
        control={control}
        {...setting('maxFileBytes', 'The limit of each upload.')}
        className="sm:max-w-md"
      />
      <FormTextArea
        control={control}
        {...setting('fileTypes', 'One MIME type per line, like application/pdf or image/*. If empty, every type.')}
        rows={2}
        mono
        className="sm:max-w-md"
      />
    </fieldset>
  );
}
