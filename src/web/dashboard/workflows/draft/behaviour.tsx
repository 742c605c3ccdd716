import { FormCheckbox, FormJsonField, FormSelect, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { useDraftForm } from './draft-form.ts';
import { setting } from './draft-values.ts';

/** The form of the reply, and the end of a conversation. */
export function Replies() {
  const { control } = useDraftForm();
  return (
    <Section title="Replies">
      <div className="flex flex-col gap-5">
        <FormCheckbox
          control={control}
          {...setting('allowConversationCompletion', 'A completed conversation accepts no more messages.')}
        />
        <FormJsonField
          control={control}
          {...setting(
            'outputSchema',
            'A JSON Schema of type object that every reply must match. Leave empty for text replies.',
          )}
          placeholder='{ "type": "object", "properties": { "answer": { "type": "string" } } }'
        />
      </div>
    </Section>
  );
}

/** When a conversation waits for a person, and for how long. */
export function People() {
  const { control } = useDraftForm();
  return (
    <Section title="People">
      <div className="flex flex-col gap-5">
        <FormCheckbox
          control={control}
          {...setting('allowHandOver', 'With the tool hand_over, if the user wants a person or it cannot help.')}
        />
        <FormCheckbox
          control={control}
          {...setting('handOverAfterBadRating', 'After the user has rated a reply down.')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormTextField
            control={control}
            {...setting('handOverAfterFailures', 'In a row, {range}. Leave empty to keep such conversations.')}
          />
          <FormTextField control={control} {...setting('handOverWaitMinutes', '{range}.')} />
          <FormSelect control={control} {...setting('handOverExpiry', 'When the wait is over.')}>
            <option value="RETURN">The assistant answers again</option>
            <option value="KEEP">Keep waiting</option>
          </FormSelect>
        </div>
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
        <FormTextField control={control} {...setting('maxSteps', 'Steps with tools in one turn, {range}.')} />
        <FormTextField control={control} {...setting('timeoutSeconds', 'For one model step, {range}.')} />
        <FormSelect control={control} {...setting('recovery', 'Background turns are always continued.')}>
          <option value="SETTLE">End the turn</option>
          <option value="CONTINUE">Continue the turn</option>
        </FormSelect>
        <FormTextField control={control} {...setting('maxAttempts', 'Processes that run one turn, {range}.')} />
        <FormJsonField
          control={control}
          {...setting('runBudget', 'Of each turn and one-shot run, in money or tokens.')}
          placeholder='{ "tokens": 50000 }'
        />
        <FormJsonField
          control={control}
          {...setting('conversationBudget', 'The period is TOTAL, DAY or MONTH.')}
          placeholder='{ "period": "DAY", "amount": "2" }'
        />
      </div>
    </Section>
  );
}
