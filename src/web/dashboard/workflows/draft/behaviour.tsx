import { LIMITS } from '../../../../contract/limits.ts';
import { FormCheckbox, FormJsonField, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../shell/page-frame.tsx';
import { useDraftForm } from './draft-form.ts';

/** The name, instructions and model of the assistant. */
export function Assistant() {
  const { control } = useDraftForm();
  return (
    <Section title="Assistant">
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
          name="instructions"
          label="Instructions"
          rows={10}
          hint="The system prompt for the model. A conversation's variables replace {{NAME}}."
        />
        <FormTextField
          control={control}
          name="model"
          label="Model"
          placeholder="Default of the service"
          hint="demo, openai:NAME, anthropic:NAME or openai-compatible:NAME."
        />
      </div>
    </Section>
  );
}

/** The limits of a turn and the form of its reply. */
export function TurnSettings() {
  const { control } = useDraftForm();
  return (
    <Section title="Turns and replies">
      <div className="flex flex-col gap-5">
        <div className="grid gap-4 sm:grid-cols-3">
          <FormTextField
            control={control}
            name="historyLimit"
            label="History limit"
            inputMode="numeric"
            placeholder={String(LIMITS.defaultHistoryLimit)}
            hint={`Earlier exchanges that the model sees, 0 to ${LIMITS.historyLimit}.`}
          />
          <FormTextField
            control={control}
            name="maxSteps"
            label="Max steps"
            inputMode="numeric"
            placeholder={String(LIMITS.modelSteps)}
            hint={`Steps with tools in one turn, 1 to ${LIMITS.modelSteps}.`}
          />
          <FormTextField
            control={control}
            name="timeoutSeconds"
            label="Timeout in seconds"
            inputMode="numeric"
            placeholder={String(LIMITS.defaultTimeoutSeconds)}
            hint={`For one model step, 1 to ${LIMITS.timeoutSeconds}.`}
          />
        </div>
        <FormCheckbox
          control={control}
          name="titleModel"
          label="Generate titles"
          hint="The model gives each conversation a title after its first reply."
        />
        <FormCheckbox
          control={control}
          name="allowConversationCompletion"
          label="Let the model complete conversations"
          hint="A completed conversation accepts no more messages."
        />
        <FormJsonField
          control={control}
          name="outputSchema"
          label="Output schema"
          hint="A JSON Schema of type object that every reply must match. Leave empty for text replies."
          placeholder='{ "type": "object", "properties": { "answer": { "type": "string" } } }'
        />
      </div>
    </Section>
  );
}
