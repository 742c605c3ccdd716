import type { ComponentType } from 'react';
import { type ClientToolName, isClientToolName } from '../../contract/client-tools.ts';
import type { JsonObject } from '../../sdk/index.ts';
import { MessageParts } from '../messages/message-parts.tsx';
import { texts } from '../texts/current.ts';
import { answersOf, approvalOf, decisionOf, partsOf, questionsOf, uploadRequestOf } from './client-tools.ts';
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
  const t = texts().calls;
  const View = isClientToolName(name) ? VIEWS[name] : undefined;
  return (
    <>
      {View && <View args={args} output={output} />}
      {(raw || !View) && <JsonView label={t.arguments} value={args} />}
      {(raw || !View) && output && <JsonView label={t.output} value={output} />}
    </>
  );
}

interface CallProps {
  readonly args: JsonObject;
  readonly output: JsonObject | null;
}

function Answers({ args, output }: CallProps) {
  const t = texts().calls;
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
                <span className="text-muted">{output ? t.nothingChosen : t.noAnswer}</span>
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
  approve_action: Approval,
  raise_budget: Raise,
};

const UPLOADER = { role: 'user' } as const;

function Upload({ args, output }: CallProps) {
  const { prompt } = uploadRequestOf(args);
  return (
    <>
      {prompt && <p className="text-sm text-muted">{prompt}</p>}
      {output ? (
        <MessageParts {...UPLOADER} content={partsOf(output)} />
      ) : (
        <p className="text-muted">{texts().calls.noFile}</p>
      )}
    </>
  );
}

function Approval({ args, output }: CallProps) {
  const { tool, args: proposed } = approvalOf(args);
  const t = texts().calls;
  const decision = output && decisionOf(output);
  return (
    <>
      <p>
        {decision ? (decision.isApproved ? t.approved : t.refused) : t.undecided}
        {tool && ': '}
        {tool && <code className="font-mono text-sm">{tool}</code>}
      </p>
      {decision?.reason && <p className="whitespace-pre-wrap text-muted">{decision.reason}</p>}
      {tool && <JsonView label={t.arguments} value={decision?.changed ?? proposed} />}
    </>
  );
}

/** The decision whether a budget is raised. */
function Raise({ output }: CallProps) {
  const t = texts().calls;
  const decision = output && decisionOf(output);
  return (
    <>
      <p>{decision ? (decision.isApproved ? t.approved : t.refused) : t.undecided}</p>
      {decision?.reason && <p className="whitespace-pre-wrap text-muted">{decision.reason}</p>}
    </>
  );
}
