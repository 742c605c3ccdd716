import type { JsonObject } from '../../sdk/index.ts';
import { MessageParts } from '../messages/message-parts.tsx';
import { answersOf, partsOf, questionsOf, uploadRequestOf } from './client-tools.ts';
import { JsonView } from './json-view.tsx';

interface Props {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly output: JsonObject | null;
  /** Built-in tools too as they were sent. */
  readonly raw: boolean;
}

/** What a client tool was asked and what it answered. */
export function CallDetails({ name, arguments: given, output, raw }: Props) {
  const isKnown = name === 'ask_user' || name === 'upload_document';
  return (
    <>
      {name === 'ask_user' && <Answers given={given} output={output} />}
      {name === 'upload_document' && <Upload given={given} output={output} />}
      {(raw || !isKnown) && <JsonView label="Arguments" value={given} />}
      {(raw || !isKnown) && output && <JsonView label="Output" value={output} />}
    </>
  );
}

interface ShownProps {
  readonly given: JsonObject;
  readonly output: JsonObject | null;
}

function Answers({ given, output }: ShownProps) {
  const answers = answersOf(output);
  return (
    <dl className="flex flex-col gap-3">
      {questionsOf(given).map(({ id, text }) => {
        const answer = answers.get(id);
        const isEmpty = answer === undefined || answer.length === 0;
        return (
          <div key={id}>
            <dt className="text-sm text-muted">{text}</dt>
            <dd className="whitespace-pre-wrap">
              {isEmpty ? <span className="text-muted">{output ? 'Nothing chosen' : 'No answer'}</span> : shown(answer)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const shown = (answer: string | readonly string[]) => (typeof answer === 'string' ? answer : answer.join(', '));

const UPLOADER = { role: 'user' } as const;

function Upload({ given, output }: ShownProps) {
  const { prompt } = uploadRequestOf(given);
  return (
    <>
      {prompt && <p className="text-sm text-muted">{prompt}</p>}
      {output ? <MessageParts {...UPLOADER} content={partsOf(output)} /> : <p className="text-muted">No file</p>}
    </>
  );
}
