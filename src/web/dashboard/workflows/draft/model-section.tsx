import { useController } from 'react-hook-form';
import { LIMITS } from '../../../../contract/limits.ts';
import { FormCheckbox, FormSelect, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { ModelPicker } from '../model-picker.tsx';
import { useDraftForm } from './draft-form.ts';

/** The model, what it sees of a conversation, and the titles that it writes. */
export function ModelSection() {
  const { control } = useDraftForm();
  const { field, fieldState } = useController({ control, name: 'model' });
  return (
    <Section title="Model">
      <div className="in-order flex flex-col gap-5">
        <ModelPicker value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
        <FormTextField
          control={control}
          name="historyLimit"
          label="History limit"
          inputMode="numeric"
          className="sm:max-w-xs"
          placeholder={String(LIMITS.defaultHistoryLimit)}
          hint={`Earlier exchanges that the model sees, 0 to ${LIMITS.historyLimit}.`}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormSelect
            control={control}
            name="reasoning"
            label="Reasoning"
            hint="Users can read it while the model thinks. It can repeat the instructions."
          >
            <option value="OFF">Hide</option>
            <option value="SHOWN">Show to users</option>
          </FormSelect>
          <FormSelect
            control={control}
            name="reasoningEffort"
            label="Reasoning effort"
            hint="Only for models that can think. Others fail with it."
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
            name="maxReplyTokens"
            label="Reply limit in tokens"
            inputMode="numeric"
            placeholder="Limit of the model"
            hint="For the reply and its reasoning."
          />
          <FormTextField
            control={control}
            name="temperature"
            label="Temperature"
            inputMode="decimal"
            placeholder="Default of the provider"
            hint="Lower values repeat the same words. Models that reason ignore it."
          />
        </div>
        <FormTextArea
          control={control}
          name="stopSequences"
          label="Stop sequences"
          rows={2}
          hint="A reply ends before one of these texts. One in each line."
        />
        <FormCheckbox
          control={control}
          name="titleModel"
          label="Generate titles"
          hint="The model gives each conversation a title after its first reply."
        />
      </div>
    </Section>
  );
}
