import { Checkbox, TextArea, TextField } from '../../../ui/field.tsx';
import { JsonField } from '../../build/json-field.tsx';
import { Section } from '../../shell/page-frame.tsx';
import { useEditing } from './context.ts';
import type { DraftForm } from './form.ts';

/** Fields of text that the draft holds itself. */
type TextName = {
  [Name in keyof DraftForm]: DraftForm[Name] extends string ? Name : never;
}[keyof DraftForm];

/** What a field of this name holds now, and how it is changed. */
function useText(name: TextName) {
  const { form, change, errorAt } = useEditing();
  return {
    value: form[name],
    error: errorAt(name),
    onChange: (event: { readonly target: { readonly value: string } }) => change({ [name]: event.target.value }),
  };
}

/** What the assistant is told, and by which model it answers. */
export function Behaviour() {
  return (
    <Section title="Assistant">
      <div className="flex flex-col gap-4">
        <TextField label="Name" hint="For your team. Users see the names of deployments." {...useText('name')} />
        <TextArea
          label="Instructions"
          rows={10}
          hint="What the model is told first. {{NAME}} is filled in from the variables of a conversation."
          {...useText('instructions')}
        />
        <TextField
          label="Model"
          placeholder="The service's default"
          hint="demo, openai:NAME, anthropic:NAME or openai-compatible:NAME."
          {...useText('model')}
        />
      </div>
    </Section>
  );
}

/** How far a turn goes, and what becomes of its reply. */
export function Bounds() {
  const { form, change, errorAt } = useEditing();
  return (
    <Section title="Turns and replies">
      <div className="flex flex-col gap-5">
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            label="History limit"
            inputMode="numeric"
            placeholder="5"
            hint="Earlier exchanges that the model sees, 0 to 100."
            {...useText('historyLimit')}
          />
          <TextField
            label="Most steps"
            inputMode="numeric"
            placeholder="16"
            hint="With tools, before it has to answer, 1 to 16."
            {...useText('maxSteps')}
          />
          <TextField
            label="Timeout in seconds"
            inputMode="numeric"
            placeholder="120"
            hint="Of one model step, 1 to 600."
            {...useText('timeoutSeconds')}
          />
        </div>
        <Checkbox
          label="Name conversations"
          hint="The model gives each conversation a title after its first reply."
          checked={form.titleModel}
          onChange={(event) => change({ titleModel: event.target.checked })}
        />
        <Checkbox
          label="Let the model complete conversations"
          hint="A completed conversation takes no more messages."
          checked={form.allowConversationCompletion}
          onChange={(event) => change({ allowConversationCompletion: event.target.checked })}
        />
        <JsonField
          label="Output schema"
          hint="JSON Schema of type object that every reply has to match. Empty: replies are text."
          placeholder='{ "type": "object", "properties": { "answer": { "type": "string" } } }'
          value={form.outputSchema}
          error={errorAt('outputSchema')}
          onChange={(outputSchema) => change({ outputSchema })}
        />
      </div>
    </Section>
  );
}
