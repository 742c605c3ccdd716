import type { ResultOf } from 'gql.tada';
import * as z from 'zod/mini';
import { FormJsonField } from '../forms/fields.tsx';
import { formatJson, jsonObject } from '../forms/rules.ts';
import { SaveBar } from '../forms/save-bar.tsx';
import { type Stored, useEditForm } from '../forms/use-edit-form.ts';
import { Section } from '../frame/page-frame.tsx';
import { useSend } from '../requests.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { type RESOURCE, UPDATE_RESOURCE } from './documents.ts';

export type ResourceData = NonNullable<ResultOf<typeof RESOURCE>['resource']>;
type Fields = ResourceData['fields'];

/** The form holds the fields as JSON text. */
interface Values {
  readonly fields: string;
}

const storedOf = ({ etag, fields }: Pick<ResourceData, 'etag' | 'fields'>): Stored<Values> => ({
  version: etag,
  values: { fields: formatJson(fields) },
});

// The text of stored values is always a JSON object.
const fieldsOf = ({ fields }: Values): Fields => jsonObject.parse(fields);

/** The fields that differ from `before`. */
function changesOf(before: Fields, after: Fields): Fields {
  const isChanged = ([name, value]: [string, unknown]) =>
    !Object.hasOwn(before, name) || JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

const schemaFor = (base: Values) =>
  z.object({
    fields: jsonObject.check(
      z.superRefine((fields, context) => {
        const missing = Object.keys(fieldsOf(base)).filter((name) => !Object.hasOwn(fields, name));
        if (missing.length === 0) return;
        context.addIssue(`Fields cannot be removed. Set them to null: ${missing.join(', ')}.`);
      }),
    ),
  });

interface Props {
  readonly resource: ResourceData;
  readonly canWrite: boolean;
}

/** Shows the fields of a resource as JSON and saves the fields that the user changed. */
export function EditFields({ resource, canWrite }: Props) {
  const send = useSend(UPDATE_RESOURCE);
  const form = useEditForm({
    schemaFor,
    stored: storedOf(resource),
    async save({ fields }, base, version) {
      const input = { id: resource.resourceId, ifMatch: String(version), fields: changesOf(fieldsOf(base), fields) };
      const { data, error } = await send({ input });
      return error ? { error } : { saved: storedOf(data.resource) };
    },
  });
  const { control, formState, conflict, unsaved } = form;
  return (
    <Section title="Fields">
      <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-4">
        <FormJsonField
          control={control}
          name="fields"
          label="Fields as JSON"
          hint="Only the fields that you change are saved. Fields cannot be removed: set them to null."
          rows={10}
        />
        {canWrite && (
          <SaveBar
            verb="Save fields"
            form={form}
            disabled={formState.errors.fields?.type === 'custom'}
            conflict={
              conflict && {
                ...conflict,
                subject: 'This resource',
                changed: Object.keys(changesOf(fieldsOf(conflict.base), fieldsOf(conflict.theirs))),
              }
            }
          />
        )}
      </fieldset>
      <UnsavedChangesGuard unsaved={unsaved} />
    </Section>
  );
}
