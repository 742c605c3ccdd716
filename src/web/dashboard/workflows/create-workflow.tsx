import * as z from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import { FormTextArea, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { optionalText, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useGo } from '../location.ts';
import { CREATE_WORKFLOW } from './documents.ts';

const schema = z.object({
  name: requiredText('a name', LIMITS.workflowNameLength),
  instructions: optionalText(LIMITS.instructionsLength),
});

/** Creates a workflow, then opens its draft. */
export function CreateWorkflow({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const form = useMutationForm({
    schema,
    defaultValues: { name: '', instructions: '' },
    mutation: CREATE_WORKFLOW,
    variables: ({ name, instructions }) => ({ input: { name, draft: { instructions } } }),
    onSuccess: ({ workflow }) => go(`/workflows/${workflow.workflowId}`),
  });
  const { control } = form;
  return (
    <FormDialog title="New workflow" verb="Create" {...{ form, onClose }}>
      <FormTextField control={control} name="name" label="Name" required />
      <FormTextArea
        control={control}
        name="instructions"
        label="Instructions"
        hint="The system prompt for the model. You can change it in the draft."
      />
    </FormDialog>
  );
}
