import type { ComponentType } from 'react';
import { type ClientToolName, isClientToolName } from '../../contract/client-tools.ts';
import type { JsonObject } from '../../sdk/index.ts';
import { MessageParts } from '../messages/message-parts.tsx';
import { answersOf, partsOf, questionsOf, uploadRequestOf } from './client-tools.ts';
import { JsonView } from './json-view.tsx';

interface Props {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly output: JsonObject | null;
  /** Also shows the JSON of built-in tools. */
  readonly raw: boolean;
}

/** The arguments and the output of a client tool. */
export function CallDetails({ name, arguments: args, output, raw }: Props) {
  const View = isClientToolName(name) ? VIEWS[name] : undefined;
  return (
    <>
      {View && <View args={args} output={output} />}
      {(raw || !View) && <JsonView label="Arguments" value={args} />}
      {(raw || !View) && output && <JsonView label="Output" value={output} />}
    </>
  );
}

interface CallProps {
  readonly args: JsonObject;
  readonly output: JsonObject | null;
}

function Answers({ args, output }: CallProps) {
  const answers = answersOf(output);
  return (
    <dl className="flex flex-col gap-3">
      {questionsOf(args).map(({ id, text }) => {
        const answer = answers.get(id);
        const isEmpty = answer === undefined || answer.length === 0;
        return (
          <div key={id}>
            <dt className="text-sm text-muted">{text}</dt>
            <dd className="whitespace-pre-wrap">
              {isEmpty ? (
                <span className="text-muted">{output ? 'Nothing chosen' : 'No answer'}</span>
              ) : (
                answerText(answer)
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const answerText = (answer: string | readonly string[]) => (typeof answer === 'string' ? answer : answer.join(', '));

const VIEWS: Readonly<Record<ClientToolName, ComponentType<CallProps>>> = {
  ask_user: Answers,
  upload_document: Upload,
};

const UPLOADER = { role: 'user' } as const;

function Upload({ args, output }: CallProps) {
  const { prompt } = uploadRequestOf(args);
  return (
    <>
      {prompt && <p className="text-sm text-muted">{prompt}</p>}
      {output ? <MessageParts {...UPLOADER} content={partsOf(output)} /> : <p className="text-muted">No file</p>}
    </>
  );
}
