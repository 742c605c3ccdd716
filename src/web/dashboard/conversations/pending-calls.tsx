import * as z from 'zod';
import { type ClientToolName, isClientToolName } from '../../../contract/client-tools.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { Button } from '../../ui/button.tsx';
import { FormJsonField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { formatJson, jsonObject } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { Section } from '../shell/page-frame.tsx';
import { RESUME } from './documents.ts';
import { StopWaitingTurn } from './stop-turn.tsx';

interface Call {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Props {
  readonly id: string;
  readonly deploymentId: string;
  /** All calls of the round. The service takes their outputs together. */
  readonly calls: readonly Call[];
}

const schema = z.object({ toolResults: z.array(z.object({ callId: z.string(), output: jsonObject })) });

/** Lets an operator send the outputs if the client does not return. */
export function PendingCalls({ id, deploymentId, calls }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: { toolResults: calls.map((call) => ({ callId: call.callId, output: templateOf(call) })) },
    mutation: RESUME,
    variables: ({ toolResults }) => ({ input: { deploymentId, conversationId: id, toolResults } }),
    onSuccess: () => {},
  });
  const { control, busy, setValue } = form;
  const allowsErrors = !calls.some(({ name }) => isClientToolName(name));
  const fillInErrors = () =>
    setValue(
      'toolResults',
      calls.map(({ callId }) => ({ callId, output: NOT_AVAILABLE })),
    );
  return (
    <Section title="Waiting for the client">
      <Form form={form} className="flex flex-col gap-5">
        <p className="text-muted">
          The turn continues when {calls.length === 1 ? 'this call has an output' : 'every call has an output'}. If the
          client does not return, you can send the output instead. You cannot change it afterwards.
        </p>
        {calls.map(({ callId, name, arguments: input }, index) => (
          <div key={callId} className="flex flex-col gap-3">
            <h3 className="font-mono text-sm font-semibold">{name}</h3>
            <JsonView label="Arguments" value={input} />
            <FormJsonField
              control={control}
              name={`toolResults.${index}.output`}
              label={`Output of ${name}`}
              hint="A JSON object."
              rows={6}
            />
          </div>
        ))}
        <FormError form={form} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={busy}>
            Send {calls.length === 1 ? 'output' : 'all outputs'}
          </Button>
          {allowsErrors && <Button onClick={fillInErrors}>Fill in an error</Button>}
        </div>
      </Form>
      <StopWaitingTurn id={id} />
    </Section>
  );
}

const NOT_AVAILABLE = formatJson({ error: 'The client is not available.' });

/** Templates for the outputs of the predefined client tools. */
const TEMPLATES: Readonly<Record<ClientToolName, (args: Call['arguments']) => object>> = {
  ask_user: ({ questions }) => ({
    answers: (Array.isArray(questions) ? questions : []).map(({ id, input_type }) => ({
      id,
      value: input_type === 'multi_select' ? [] : '',
    })),
  }),
  upload_document: () => ({ content: [{ type: 'url', mime_type: 'application/pdf', file_uri: 'https://' }] }),
};

function templateOf({ name, arguments: args }: Call): string {
  return formatJson(isClientToolName(name) ? TEMPLATES[name](args) : {});
}
