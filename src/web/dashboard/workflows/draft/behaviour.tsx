import { LIMITS } from '../../../../contract/limits.ts';
import { FormCheckbox, FormJsonField, FormSelect, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { useDraftForm } from './draft-form.ts';

/** The form of the reply, and the end of a conversation. */
export function Replies() {
  const { control } = useDraftForm();
  return (
    <Section title="Replies">
      <div className="flex flex-col gap-5">
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

/** The limits of a turn, and what happens if its process dies. */
export function Limits() {
  const { control } = useDraftForm();
  return (
    <Section title="Limits and recovery">
      <div className="grid gap-4 sm:grid-cols-2">
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
        <FormSelect
          control={control}
          name="recovery"
          label="If a process dies"
          hint="Background turns are always continued."
        >
          <option value="SETTLE">End the turn</option>
          <option value="CONTINUE">Continue the turn</option>
        </FormSelect>
        <FormTextField
          control={control}
          name="maxAttempts"
          label="Max attempts"
          inputMode="numeric"
          placeholder={String(LIMITS.defaultTurnAttempts)}
          hint={`Processes that run one turn, 2 to ${LIMITS.turnAttempts}.`}
        />
      </div>
    </Section>
  );
}
