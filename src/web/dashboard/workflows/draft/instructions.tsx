import { FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { useDraftForm } from './draft-form.ts';
import { setting } from './draft-values.ts';

/** The name and the instructions of the assistant. */
export function Instructions() {
  const { control } = useDraftForm();
  return (
    <Section title="Instructions">
      <div className="flex flex-col gap-4">
        <FormTextField
          control={control}
          name="name"
          label="Name"
          hint="For your team. Users see the name of the deployment."
          required
        />
        <FormTextArea
          control={control}
          {...setting('instructions', "The system prompt for the model. A conversation's variables replace {{NAME}}.")}
          rows={16}
        />
      </div>
    </Section>
  );
}
