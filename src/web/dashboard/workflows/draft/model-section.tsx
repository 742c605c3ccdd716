import { useController } from 'react-hook-form';
import { FormCheckbox, FormJsonField, FormSelect, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { ModelPicker } from '../../models/model-picker.tsx';
import { ContextFields } from './context-fields.tsx';
import { useDraftForm } from './draft-form.ts';
import { setting } from './draft-values.ts';

/** The model, what it sees of a conversation, and the titles that it writes. */
export function ModelSection() {
  const { control } = useDraftForm();
  const { field, fieldState } = useController({ control, name: 'model' });
  return (
    <Section title="Model">
      <div className="in-order flex flex-col gap-5">
        <ModelPicker value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
        <ContextFields />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormSelect
            control={control}
            {...setting('reasoning', 'Users can read it while the model thinks. It can repeat the instructions.')}
          >
            <option value="OFF">Hide</option>
            <option value="SHOWN">Show to users</option>
          </FormSelect>
          <FormSelect
            control={control}
            {...setting('reasoningEffort', 'Only for models that can think. Others fail with it.')}
          >
            <option value="">Default of the provider</option>
            <option value="LOW">Low</option>
            <option value="MEDIUM">Medium</option>
            <option value="HIGH">High</option>
          </FormSelect>
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormTextField
            control={control}
            {...setting('maxReplyTokens', 'For the reply and its reasoning, {range}.')}
          />
          <FormTextField
            control={control}
            {...setting('temperature', '{range}. Lower values repeat the same words. Models that reason ignore it.')}
          />
        </div>
        <FormTextArea
          control={control}
          {...setting('stopSequences', 'A reply ends before one of these texts. One in each line.')}
          rows={2}
        />
        <FormJsonField
          control={control}
          {...setting('modelParameters', 'Added to each request, as the provider names them.')}
          placeholder='{ "top_p": 0.9 }'
        />
        <FormCheckbox
          control={control}
          {...setting('titleModel', 'The model gives each conversation a title after its first reply.')}
        />
      </div>
    </Section>
  );
}
