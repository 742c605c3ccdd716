import { type Control, useFieldArray } from 'react-hook-form';
import type * as z from 'zod/mini';
import { LANGUAGE_NAMES, LANGUAGES } from '../../../contract/branding/languages.ts';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FormSelect, FormTextArea, FormTextField } from '../forms/fields.tsx';
import { ListError } from '../forms/pairs.tsx';
import { SaveBar } from '../forms/save-bar.tsx';
import { useEditForm } from '../forms/use-edit-form.ts';
import { Section } from '../frame/page-frame.tsx';
import { useSend } from '../requests.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { AccentField } from './accent-field.tsx';
import { AppearancePreview } from './appearance-preview.tsx';
import {
  type Appearance,
  appearanceField,
  appearanceSchema,
  brandingInput,
  storedAppearance,
} from './appearance-values.ts';
import { UPDATE_DEPLOYMENT } from './documents.ts';
import { LogoField } from './logo-field.tsx';
import type { DeploymentData } from './obstacles.ts';

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

/** The branding of the hosted page and the widget, with a preview of the values in the form. */
export function AppearanceSection({ deployment, canWrite }: Props) {
  const send = useSend(UPDATE_DEPLOYMENT);
  const { conflict: _, ...form } = useEditForm({
    schemaFor: () => appearanceSchema,
    stored: storedAppearance(deployment),
    async save(appearance, base) {
      const { deploymentId } = deployment;
      const { data, error } = await send({ input: { deploymentId, branding: brandingInput(base, appearance) } });
      return error ? { error } : { saved: storedAppearance({ deploymentId, ...data.deployment }) };
    },
    mapField: appearanceField,
  });
  const { control, values, unsaved } = form;
  return (
    <Section title="Appearance">
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-6">
          <PageFields control={control} deploymentName={deployment.name} />
          <Prompts control={control} />
          <WidgetFields control={control} />
          {canWrite && (
            <div className="flex flex-col gap-3 border-t border-line pt-4">
              <SaveBar verb="Save appearance" form={form} />
            </div>
          )}
        </fieldset>
        <AppearancePreview appearance={values} deploymentName={deployment.name} kind={deployment.kind} />
      </div>
      <UnsavedChangesGuard unsaved={unsaved} />
    </Section>
  );
}

interface PartProps {
  readonly control: Control<Appearance, unknown, z.output<typeof appearanceSchema>>;
}

function PageFields({ control, deploymentName }: PartProps & { readonly deploymentName: string }) {
  return (
    <>
      <FormTextField
        control={control}
        name="name"
        label="Public name"
        hint="Users see it in place of the name of the deployment."
        placeholder={deploymentName}
      />
      <LogoField control={control} name="logo" />
      <AccentField control={control} name="accent" />
      <FormTextArea
        control={control}
        name="greeting"
        label="Greeting"
        hint="Shown before the first message."
        rows={2}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormSelect control={control} name="theme" label="Theme">
          <option value="AUTO">As the user’s system</option>
          <option value="LIGHT">Light</option>
          <option value="DARK">Dark</option>
        </FormSelect>
        <FormSelect control={control} name="language" label="Language of the interface">
          <option value="AUTO">As the user’s browser</option>
          {LANGUAGES.map((language) => (
            <option key={language} value={enumNameOf(language)}>
              {LANGUAGE_NAMES[language].own}
            </option>
          ))}
        </FormSelect>
      </div>
    </>
  );
}

function Prompts({ control }: PartProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'suggestedPrompts' });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium">Suggested prompts</legend>
      <p className="text-sm text-muted">First messages that users can send with one click.</p>
      {fields.map((row, index) => (
        <div key={row.id} className="flex items-start gap-2">
          <FormTextField
            control={control}
            name={`suggestedPrompts.${index}.text`}
            label={`Prompt ${index + 1}`}
            className="min-w-0 flex-1"
          />
          <Button look="quiet" className="mt-6" aria-label={`Remove prompt ${index + 1}`} onClick={() => remove(index)}>
            <Icon name="close" className="size-4" />
          </Button>
        </div>
      ))}
      <ListError control={control} name="suggestedPrompts" />
      {fields.length < LIMITS.suggestedPrompts && (
        <Button small className="self-start" onClick={() => append({ text: '' })}>
          <Icon name="plus" className="size-4" /> Add prompt
        </Button>
      )}
    </fieldset>
  );
}

function WidgetFields({ control }: PartProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 font-medium">Widget</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormSelect control={control} name="launcherPosition" label="Side of the launcher">
          <option value="RIGHT">Right</option>
          <option value="LEFT">Left</option>
        </FormSelect>
        <FormTextField
          control={control}
          name="launcherText"
          label="Text of the launcher"
          hint="Without a text it shows only an icon."
        />
      </div>
    </fieldset>
  );
}
