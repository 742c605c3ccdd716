import * as z from 'zod/mini';
import { HAND_BACK as SHAPE } from '../../../shapes/conversations.ts';
import { FormCheckbox, FormTextArea } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { formRules } from '../forms/shape-rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { HAND_BACK } from './documents.ts';

const { summary, instructions, answer } = SHAPE.fields;
const schema = z.object(formRules({ summary, instructions, answer }));

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly onClose: () => void;
}

/** Returns a conversation to the assistant, with what it must know. */
export function HandBackDialog({ id, onClose }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: { summary: '', instructions: '', answer: true },
    mutation: HAND_BACK,
    variables: (values) => ({ input: { conversationId: id, ...values } }),
    onSuccess: onClose,
  });
  const { control } = form;
  return (
    <FormDialog title="Hand back to the assistant" verb="Hand back" form={form} onClose={onClose}>
      <FormTextArea
        {...{ control }}
        name="summary"
        label="What you did"
        hint="Optional. Only the assistant and your team read it."
        rows={2}
      />
      <FormTextArea
        {...{ control }}
        name="instructions"
        label="What the assistant must do now"
        hint="Optional. Only the assistant and your team read it."
        rows={2}
      />
      <FormCheckbox {...{ control }} name="answer" label="Answer the messages that nobody has answered" />
    </FormDialog>
  );
}
