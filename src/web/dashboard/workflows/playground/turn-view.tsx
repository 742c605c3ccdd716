import { enumValueOf } from '../../../../contract/enum-names.ts';
import type { JsonObject } from '../../../../sdk/index.ts';
import { JsonView } from '../../../timeline/json-view.tsx';
import { statusOf, titleOf } from '../../../timeline/labels.ts';
import { MessageRow } from '../../../timeline/message-row.tsx';
import { ResultFiles } from '../../../timeline/result-files.tsx';
import { Button, Spinner } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Badge, Notice } from '../../../ui/notice.tsx';
import { formatSeconds } from '../../../ui/numbers.ts';
import { formatJson } from '../../forms/rules.ts';
import type { Step, StepCall } from './draft-turn.ts';
import { messageId, replyId } from './test-branches.ts';
import type { TestTurn } from './use-test.ts';

const BY_USER = { role: 'user' } as const;
const BY_ASSISTANT = { role: 'assistant' } as const;

interface Props {
  readonly turn: TestTurn;
  /** Only the last turn can run again. */
  readonly onRetry: (() => void) | undefined;
}

/** A message, the steps of the assistant with their cost, and the text that it is writing. */
export function TurnView({ turn: { key, content, steps, live, status, error, end }, onRetry }: Props) {
  return (
    <li className="flex min-w-0 flex-col gap-3">
      <MessageRow {...BY_USER} id={messageId(key)} content={content} />
      {steps.map((step) => (
        <StepView
          key={step.number}
          step={step}
          showsCost={steps.length > 1}
          json={step.calls.length === 0 ? objectOf(end?.content) : undefined}
          id={step === steps.at(-1) ? replyId(key) : undefined}
        />
      ))}
      {live && <MessageRow {...BY_ASSISTANT} content={[{ type: 'text', text: live }]} note="Writing…" />}
      {status === 'running' && !live && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Waiting for the reply
        </p>
      )}
      {status === 'failed' && (
        <Notice
          tone={error ? 'danger' : 'neutral'}
          action={
            onRetry && (
              <Button small onClick={onRetry}>
                Try again
              </Button>
            )
          }
        >
          {error instanceof Error ? error.message : 'You stopped this turn.'}
        </Notice>
      )}
      {end && <TurnSummary {...end} />}
    </li>
  );
}

interface StepProps {
  readonly step: Step;
  /** Whether the step has a line of its own: with one step, it is the same as that of the turn. */
  readonly showsCost: boolean;
  readonly json: JsonObject | undefined;
  /** The ID of the reply. Undefined for an earlier step. */
  readonly id: string | undefined;
}

function StepView({ step, showsCost, json, id }: StepProps) {
  const { number, text, calls, inputTokens, outputTokens, responseTime } = step;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {json ? (
        <JsonView label="Reply" value={json} />
      ) : (
        text && <MessageRow {...BY_ASSISTANT} {...(id !== undefined && { id })} content={[{ type: 'text', text }]} />
      )}
      {calls.length === 0 && !text && <p className="text-muted">Empty reply</p>}
      {calls.map((call) => (
        <CallView key={call.callId} call={call} />
      ))}
      {showsCost && (
        <p className="text-sm text-muted">
          Step {number} · {inputTokens} input tokens · {outputTokens} output tokens ·{' '}
          <span className="whitespace-nowrap">{formatSeconds(responseTime)}</span>
        </p>
      )}
    </div>
  );
}

function CallView({ call: { name, type, status, arguments: args, output } }: { readonly call: StepCall }) {
  const { label, tone } = statusOf({ type: enumValueOf(type), status: enumValueOf(status) });
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 hover:bg-sunken">
        <Icon name="chevron" className="size-4 text-muted transition group-open:rotate-90" />
        <span className="min-w-0 flex-1 truncate font-medium">{titleOf(name)}</span>
        <Badge tone={tone}>{label}</Badge>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line p-3">
        <JsonView label="Arguments" value={args} />
        <ResultFiles output={type === 'ACTION' ? output : null} />
        {objectOf(output) ? (
          <JsonView label="Output" value={objectOf(output) ?? {}} />
        ) : (
          output !== null && <p className="whitespace-pre-wrap break-words font-mono text-sm">{formatJson(output)}</p>
        )}
      </div>
    </details>
  );
}

function TurnSummary({
  model,
  inputTokens,
  outputTokens,
  responseTime,
  completesConversation,
}: NonNullable<TestTurn['end']>) {
  return (
    <>
      <p className="text-sm text-muted">
        {model} · {inputTokens} input tokens · {outputTokens} output tokens ·{' '}
        <span className="whitespace-nowrap">{formatSeconds(responseTime)}</span>
      </p>
      {completesConversation && <Notice tone="ok">The assistant completed the conversation.</Notice>}
    </>
  );
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
