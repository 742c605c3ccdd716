import * as z from 'zod/mini';
import { RESOURCE_TYPE_PATTERN } from '../../../shapes/resources.ts';
import { FormJsonField, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { jsonObject } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useGo } from '../location.ts';
import { CREATE_RESOURCE } from './documents.ts';

const schema = z.object({
  type: z
    .string()
    .check(z.regex(RESOURCE_TYPE_PATTERN, 'Start with a lowercase letter, then use lowercase letters, digits and _.')),
  fields: jsonObject,
});

interface Props {
  /** The type that the list is filtered by, or ''. */
  readonly type: string;
  readonly onClose: () => void;
}

/** Creates a resource, then opens its page. */
export function CreateResource({ type, onClose }: Props) {
  const go = useGo();
  const form = useMutationForm({
    schema,
    defaultValues: { type, fields: '{\n  \n}' },
    checksOnChange: true,
    mutation: CREATE_RESOURCE,
    variables: (input) => ({ input }),
    onSuccess: ({ resource }) => go(`/resources/${resource.resourceId}`),
  });
  const { control, formState } = form;
  return (
    <FormDialog
      title="New resource"
      verb="Create"
      disabled={formState.errors.fields?.type === 'custom'}
      {...{ form, onClose }}
    >
      <FormTextField
        control={control}
        name="type"
        label="Type"
        hint="A word that you choose, like contact: a–z, 0–9 and _."
        required
      />
      <FormJsonField control={control} name="fields" label="Fields" hint="A JSON object with the values." rows={8} />
    </FormDialog>
  );
}
