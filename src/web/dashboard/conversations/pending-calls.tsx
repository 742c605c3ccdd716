import { type FormEvent, useState } from 'react';
import { JsonView } from '../../timeline/json-view.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useChange } from '../requests.ts';
import { Section } from '../shell/page-frame.tsx';
import { CANCEL_RUN, RESUME } from './documents.ts';

interface Call {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Props {
  readonly id: string;
  readonly deploymentId: string;
  /** All of the round: they are answered together. */
  readonly calls: readonly Call[];
}

/** Lets an operator answer in the client's place, where that does not come back. */
export function PendingCalls({ id, deploymentId, calls }: Props) {
  const { make, busy, fault } = useChange(RESUME);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(calls.map((call) => [call.callId, templateOf(call)])),
  );
  const [tried, setTried] = useState(false);
  const outputs = calls.map(({ callId }) => ({ callId, output: objectIn(texts[callId] ?? '') }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (outputs.some(({ output }) => output === undefined)) return;
    await make({ deploymentId, input: { conversationId: id, toolResults: outputs } });
  };
  const write = (callId: string, text: string) => setTexts((before) => ({ ...before, [callId]: text }));
  const cannotTakeErrors = calls.some(({ name }) => name === 'ask_user' || name === 'upload_document');
  return (
    <Section title="Waiting for the client">
      <form onSubmit={submit} className="flex flex-col gap-5">
        <p className="text-muted">
          The turn goes on once{' '}
          {calls.length === 1 ? 'this call has an output' : `all ${calls.length} calls have outputs`}. If the client
          does not come back, give what it would have given. What is accepted is final.
        </p>
        {calls.map(({ callId, name, arguments: given }) => (
          <div key={callId} className="flex flex-col gap-3">
            <h3 className="font-mono text-sm font-semibold">{name}</h3>
            <JsonView label="Arguments" value={given} />
            <TextArea
              label={`Output of ${name}`}
              hint="An object in JSON"
              mono
              rows={6}
              spellCheck={false}
              value={texts[callId] ?? ''}
              error={
                tried && objectIn(texts[callId] ?? '') === undefined ? 'This is not an object in JSON.' : undefined
              }
              onChange={(event) => write(callId, event.target.value)}
            />
          </div>
        ))}
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={busy}>
            Send {calls.length === 1 ? 'the output' : 'all outputs'}
          </Button>
          {!cannotTakeErrors && (
            <Button onClick={() => setTexts(Object.fromEntries(calls.map(({ callId }) => [callId, NOT_AVAILABLE])))}>
              Fill in an error
            </Button>
          )}
        </div>
      </form>
      <Cancellation id={id} />
    </Section>
  );
}

/** Gives up what nobody will answer, once it was asked whether that is meant. */
function Cancellation({ id }: { readonly id: string }) {
  const { make, busy, fault, forget } = useChange(CANCEL_RUN);
  const [isAsking, ask] = useState(false);
  const close = () => {
    ask(false);
    forget();
  };
  return (
    <div className="mt-5 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
      <p className="text-sm text-muted">Nobody will answer? Then the turn can end without.</p>
      <Button look="danger" onClick={() => ask(true)}>
        Cancel the turn
      </Button>
      {isAsking && (
        <Dialog title="Cancel this turn?" onClose={close}>
          <div className="flex flex-col gap-4">
            <p>
              What it waits for is cancelled, and answers that still come are refused. The conversation goes on with its
              next message.
            </p>
            {fault && <Notice tone="danger">{fault.message}</Notice>}
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={close}>Let it wait</Button>
              <Button look="danger" busy={busy} onClick={async () => (await make({ id })) && close()}>
                Cancel it
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  );
}

const NOT_AVAILABLE = JSON.stringify({ error: 'The client is not available.' }, null, 2);

/** What the output has to look like, as far as the tool's name tells. */
function templateOf({ name, arguments: given }: Call): string {
  if (name === 'upload_document') {
    return JSON.stringify({ content: [{ type: 'url', mime_type: 'application/pdf', file_uri: 'https://' }] }, null, 2);
  }
  if (name !== 'ask_user') return '{}';
  const questions = Array.isArray(given.questions) ? given.questions : [];
  const answers = questions.map(({ id, input_type }: { id?: unknown; input_type?: unknown }) => ({
    id,
    value: input_type === 'multi_select' ? [] : '',
  }));
  return JSON.stringify({ answers }, null, 2);
}

/** The object that a text is in JSON; undefined where it is none. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
