import { useEffect, useRef, useState } from 'react';
import type { MessageContent } from '../../../../sdk/index.ts';
import { Composer } from '../../../messages/composer.tsx';
import { Markdown } from '../../../messages/markdown.tsx';
import { MessageParts } from '../../../messages/message-parts.tsx';
import { Button, Spinner } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { formatSeconds } from '../../../ui/numbers.ts';
import { formatJson } from '../../forms/rules.ts';
import { ErrorNotice } from '../../shell/loaded.tsx';
import { Section } from '../../shell/page-frame.tsx';
import { useDraftForm } from './draft-form.ts';
import { type DraftTest, useDraftTests } from './draft-tests.ts';

/** Sends messages to the stored draft. Each message is independent of the others. */
export function TestPanel({ workflowId }: { readonly workflowId: number }) {
  const { values: draft, unsaved, busy, save } = useDraftForm();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { tests, run, isRunning, clear } = useDraftTests(workflowId);
  const names = placeholdersOf(draft.instructions);
  const send = (content: MessageContent) =>
    run(content, Object.fromEntries(names.map((name) => [name, values[name] ?? ''])));
  return (
    <div className="min-w-0 xl:sticky xl:top-4">
      <Section
        title="Test the draft"
        actions={
          tests.length > 0 && (
            <Button look="quiet" small onClick={clear}>
              Clear
            </Button>
          )
        }
      >
        <div className="flex flex-col gap-4 xl:max-h-[calc(100dvh-9rem)]">
          {unsaved && (
            <Notice
              tone="warn"
              action={
                <Button small busy={busy} onClick={save}>
                  Save changes
                </Button>
              }
            >
              Tests use the saved draft, without your unsaved changes.
            </Notice>
          )}
          {names.map((name) => (
            <TextField
              key={name}
              label={`{{${name}}}`}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ))}
          <DraftTests tests={tests} />
          <Composer onSend={send} disabled={isRunning} placeholder="Message to the draft" />
        </div>
      </Section>
    </div>
  );
}

/** The variables in the instructions. */
function placeholdersOf(instructions: string): string[] {
  const matches = instructions.matchAll(/\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g);
  return [...new Set([...matches].map(([, name = '']) => name))].slice(0, 20);
}

function DraftTests({ tests }: { readonly tests: readonly DraftTest[] }) {
  const end = useRef<HTMLDivElement>(null);
  const count = tests.length;
  const isFinished = tests.at(-1)?.result !== undefined;
  useEffect(() => {
    if (count > 0 || isFinished) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [count, isFinished]);
  if (count === 0) {
    return (
      <p className="text-sm text-muted">
        Send a message to see the draft's reply. Tests change no deployment and store no conversation. They count as
        usage. Each message is independent.
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <div ref={end} aria-live="polite" tabIndex={0} className="flex min-h-0 flex-col gap-4 overflow-y-auto">
      {tests.map((test) => (
        <TestResult key={test.key} test={test} />
      ))}
    </div>
  );
}

function TestResult({ test: { content, result } }: { readonly test: DraftTest }) {
  return (
    <div className="flex flex-col gap-2">
      <div className="max-w-[85%] self-end rounded-2xl bg-accent-soft px-3 py-2">
        <MessageParts {...{ role: 'user', content }} />
      </div>
      {!result && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Waiting for the reply
        </p>
      )}
      <ErrorNotice error={result?.error} />
      {result?.data && (
        <div className="min-w-0">
          <Reply content={result.data.content} />
          <p className="mt-1 text-sm text-muted">
            {result.data.model} · {result.data.inputTokens} input tokens · {result.data.outputTokens} output tokens ·{' '}
            <span className="whitespace-nowrap">{formatSeconds(result.data.responseTime)}</span>
          </p>
        </div>
      )}
    </div>
  );
}

function Reply({ content }: { readonly content: unknown }) {
  if (typeof content === 'string') {
    return content === '' ? <p className="text-muted">Empty reply</p> : <Markdown text={content} />;
  }
  return (
    <p className="whitespace-pre-wrap break-words rounded-lg bg-sunken p-2 font-mono text-sm">{formatJson(content)}</p>
  );
}
