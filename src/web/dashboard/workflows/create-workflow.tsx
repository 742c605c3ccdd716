import { type Control, useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { workflowName } from '../../../shapes/names.ts';
import { FormTextArea, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { optionalText, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useGo } from '../location.ts';
import { CREATE_WORKFLOW } from './documents.ts';
import { TEMPLATES } from './templates.ts';

const schema = z.object({
  name: requiredText('a name', workflowName.most),
  template: z.string(),
  instructions: optionalText(LIMITS.instructionsLength),
});

type Values = z.input<typeof schema>;

const [BLANK] = TEMPLATES;

/** Creates a workflow from a template, then opens its draft. */
export function CreateWorkflow({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const form = useMutationForm({
    schema,
    defaultValues: { name: '', template: BLANK.id, instructions: '' },
    mutation: CREATE_WORKFLOW,
    variables: ({ name, template, instructions }) => ({ input: { name, draft: draftOf(template, instructions) } }),
    onSuccess: ({ workflow }) => go(`/workflows/${workflow.workflowId}`),
  });
  const { control } = form;
  const { field } = useController({ control, name: 'template' });
  return (
    <FormDialog title="New workflow" verb="Create" {...{ form, onClose }}>
      <FormTextField control={control} name="name" label="Name" required />
      <TemplateChoice control={control} onSelect={(title) => suggestName(form, title)} />
      {field.value === BLANK.id && (
        <FormTextArea
          control={control}
          name="instructions"
          label="Instructions"
          hint="The system prompt for the model. You can change it in the draft."
        />
      )}
    </FormDialog>
  );
}

function draftOf(template: string, instructions: string) {
  const { draft } = TEMPLATES.find(({ id }) => id === template) ?? BLANK;
  return template === BLANK.id ? { ...draft, instructions } : draft;
}

interface NameField {
  readonly getValues: (name: 'name') => string;
  readonly setValue: (name: 'name', value: string) => void;
}

/** The title of a template is a good first name. It never replaces a name that the user has typed. */
function suggestName({ getValues, setValue }: NameField, title: string): void {
  const name = getValues('name');
  const isSuggested = name === '' || TEMPLATES.some((template) => template.title === name);
  if (isSuggested) setValue('name', title === BLANK.title ? '' : title);
}

interface ChoiceProps {
  readonly control: Control<Values, unknown, z.output<typeof schema>>;
  readonly onSelect: (title: string) => void;
}

function TemplateChoice({ control, onSelect }: ChoiceProps) {
  const { field } = useController({ control, name: 'template' });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Start from</legend>
      {TEMPLATES.map(({ id, title, description }) => (
        <label
          key={id}
          className="flex cursor-pointer gap-2.5 rounded-lg border border-line px-3 py-2 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name={field.name}
            value={id}
            checked={field.value === id}
            onChange={() => {
              field.onChange(id);
              onSelect(title);
            }}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="font-medium">{title}</span>
            <span className="block text-sm text-muted">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
