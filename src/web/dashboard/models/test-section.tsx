import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Notice } from '../../ui/notice.tsx';
import { formatCount, formatSeconds } from '../../ui/numbers.ts';
import { ErrorNotice } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useServiceMutation } from '../requests.ts';
import { type ModelTest, TEST_MODEL } from './documents.ts';
import { ModelPicker } from './model-picker.tsx';

/** Asks a model for a greeting, and shows its answer with its time. */
export function TestSection({ defaultModel }: { readonly defaultModel: string }) {
  const resultId = useId();
  const [model, setModel] = useState('');
  const [test, setTest] = useState<ModelTest>();
  const { mutate, busy, error } = useServiceMutation(TEST_MODEL);
  const ask = async () => {
    setTest(undefined);
    const data = await mutate({ input: { model: model.trim() || defaultModel } });
    setTest(data?.test);
  };
  return (
    <Section title="Test a model">
      <form
        className="flex flex-col gap-4"
        aria-describedby={resultId}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void ask();
        }}
      >
        <ModelPicker value={model} onChange={setModel} />
        <Button look="primary" type="submit" busy={busy} className="self-start">
          Send a test call
        </Button>
      </form>
      <div id={resultId} aria-live="polite" className="mt-4 flex flex-col gap-3 empty:hidden">
        <ErrorNotice error={error} />
        {test && <Result {...test} />}
      </div>
    </Section>
  );
}

function Result({ model, answer, responseTime, inputTokens, outputTokens, failure, failedAttempts }: ModelTest) {
  const attempts = failedAttempts?.filter(({ body }) => body !== null) ?? [];
  return (
    <>
      {failure ? (
        <Notice tone="danger">
          <span className="font-medium">{model}:</span> {failure.message} {failure.advice}
        </Notice>
      ) : (
        <Notice tone="ok">
          <p className="wrap-anywhere" dir="auto">
            {answer || 'The model answered, but wrote no text.'}
          </p>
          <p className="mt-1 text-sm">
            {`${model} · ${formatSeconds(responseTime)} · ${formatCount(inputTokens)} input + ${formatCount(outputTokens)} output tokens`}
          </p>
        </Notice>
      )}
      {attempts.slice(-1).map(({ status, body }) => (
        <CodeBlock
          key={body}
          text={body ?? ''}
          label={status === null ? 'Response of the provider' : `Response of the provider: ${status}`}
        />
      ))}
    </>
  );
}
