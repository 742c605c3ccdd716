import { JsonView } from '../../../timeline/json-view.tsx';
import { CodeBlock } from '../../../ui/code.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { formatCount } from '../../../ui/numbers.ts';
import { Time } from '../../../ui/time.tsx';
import { Fact, Facts } from '../../frame/expandable.tsx';
import { useMoney } from '../../money.ts';
import { cacheText } from './cache-text.ts';
import type { Span } from './documents.ts';
import { Fold } from './fold.tsx';
import { LongText } from './long-text.tsx';
import { MessageList, Messages } from './messages.tsx';
import type { MessagePart } from './prompt-messages.ts';

type Step = Extract<Span, { readonly __typename: 'ModelStepSpan' }>;

/** What a model was asked and answered. */
export function StepDetails(step: Step) {
  const { prompt, answer, error, failedAttempts, isTruncated } = step;
  return (
    <>
      {error && <Notice tone="warn">{error}</Notice>}
      <FailedAttempts attempts={failedAttempts} />
      {isTruncated && <Truncated />}
      {prompt ? <Prompt {...prompt} /> : <Missing />}
      {answer && (answer.text !== '' || answer.calls.length > 0) && <Answer {...answer} />}
      {prompt && (
        <Fold summary="Show JSON">
          <JsonView label="Prompt" value={prompt as never} />
          {answer && <JsonView label="Answer" value={answer as never} />}
        </Fold>
      )}
      <StepFacts {...step} />
    </>
  );
}

function FailedAttempts({ attempts }: { readonly attempts: Step['failedAttempts'] }) {
  return attempts.map(({ message, status, body }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the attempts are a history, and never change their order
    <div key={index} className="flex flex-col gap-2">
      <p>{`Attempt ${index + 1}: ${message}`}</p>
      {body !== null && (
        <CodeBlock
          text={body}
          label={status === null ? 'Response of the provider' : `Response of the provider: ${status}`}
        />
      )}
    </div>
  ));
}

function StepFacts({ startedAt, attempts, cost, finishReason, requestId, inputSavings, ...counts }: Step) {
  const money = useMoney();
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = counts;
  const cache = cacheText(
    {
      inputTokens: inputTokens ?? 0,
      cachedInputTokens: cachedInputTokens ?? 0,
      cacheWriteTokens: cacheWriteTokens ?? 0,
    },
    inputSavings,
  );
  return (
    <Facts>
      <Fact name="Started">
        <Time at={startedAt} />
      </Fact>
      <Fact name="Attempts">{attempts}</Fact>
      {inputTokens !== null && <Fact name="Input tokens">{formatCount(inputTokens)}</Fact>}
      {cache && <Fact name="Cache">{cache}</Fact>}
      {outputTokens !== null && <Fact name="Output tokens">{formatCount(outputTokens)}</Fact>}
      {cost !== null && <Fact name="Cost">{money.format(cost)}</Fact>}
      {finishReason && <Fact name="Finish reason">{finishReason.toLowerCase().replaceAll('_', ' ')}</Fact>}
      <Fact name="Request">
        <code className="wrap-anywhere font-mono text-sm">{requestId}</code>
      </Fact>
    </Facts>
  );
}

/** What the model wrote and requested, as the last message. */
function Answer({ text, calls }: NonNullable<Step['answer']>) {
  const parts: MessagePart[] = calls.map((call) => {
    const { name, arguments: value } = call as Readonly<Record<string, unknown>>;
    return { kind: 'call', name: String(name), value };
  });
  if (text !== '') parts.unshift({ kind: 'text', text });
  return <MessageList label="Answer" messages={[{ role: 'answer', parts }]} />;
}

/** Longer instructions open on demand. */
const SHORT_INSTRUCTIONS = 400;

function Prompt({ instructions, messages, messagesLeftOut, tools }: NonNullable<Step['prompt']>) {
  return (
    <>
      {tools.length > 0 && (
        <p className="text-sm wrap-anywhere">
          <span className="text-muted">Offered tools: </span>
          {tools.join(', ')}
        </p>
      )}
      {instructions !== '' && <Instructions text={instructions} />}
      <Messages messages={messages} leftOut={messagesLeftOut} />
    </>
  );
}

function Instructions({ text }: { readonly text: string }) {
  if (text.length <= SHORT_INSTRUCTIONS) {
    return <MessageList label="Instructions" messages={[{ role: 'instructions', parts: [{ kind: 'text', text }] }]} />;
  }
  return (
    <Fold summary={`Instructions (${formatCount(text.length)} characters)`}>
      <LongText text={text} />
    </Fold>
  );
}

/** Says that content is cut off. */
export function Truncated() {
  return <Notice tone="warn">Long content is cut off in this trace.</Notice>;
}

/** Says that content cannot be opened. */
export function Missing() {
  return <Notice tone="warn">The service no longer has the key that sealed this content.</Notice>;
}
