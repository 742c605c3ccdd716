import { useEffect, useRef, useState } from 'react';
import type { MessageContent } from '../../../../sdk/index.ts';
import { Composer } from '../../../messages/composer.tsx';
import { Markdown } from '../../../messages/markdown.tsx';
import { MessageParts } from '../../../messages/message-parts.tsx';
import { Button, Spinner } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { jsonText } from '../../build/json.ts';
import { Section } from '../../shell/page-frame.tsx';
import { useEditing } from './context.ts';
import { type Trial, useTrials } from './trials.ts';

/** Asks the stored draft, beside the editor or below it. Every message stands alone. */
export function TestPanel({ workflowId }: { readonly workflowId: number }) {
  const { form, unsaved, busy, save } = useEditing();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { trials, ask, isAsking, clear } = useTrials(workflowId);
  const names = placeholdersOf(form.instructions);
  const send = (content: MessageContent) =>
    ask(content, Object.fromEntries(names.map((name) => [name, values[name] ?? ''])));
  return (
    <div className="min-w-0 xl:sticky xl:top-4">
      <Section
        title="Test the draft"
        actions={
          trials.length > 0 && (
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
                  Save first
                </Button>
              }
            >
              What you have not saved is not tested.
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
          <Trials trials={trials} />
          <Composer onSend={send} disabled={isAsking} placeholder="Say something to the draft" />
        </div>
      </Section>
    </div>
  );
}

/** What the instructions want filled in. */
function placeholdersOf(instructions: string): string[] {
  const found = instructions.matchAll(/\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g);
  return [...new Set([...found].map(([, name = '']) => name))].slice(0, 20);
}

function Trials({ trials }: { readonly trials: readonly Trial[] }) {
  const end = useRef<HTMLDivElement>(null);
  const count = trials.length;
  const isAnswered = trials.at(-1)?.answer !== undefined;
  useEffect(() => {
    if (count > 0 || isAnswered) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [count, isAnswered]);
  if (count === 0) {
    return (
      <p className="text-sm text-muted">
        Send a message to see what the draft answers. No deployment is touched, nothing is kept but a line in the usage,
        and each message stands alone.
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div ref={end} aria-live="polite" tabIndex={0} className="flex min-h-0 flex-col gap-4 overflow-y-auto">
      {trials.map((trial) => (
        <OneTrial key={trial.key} trial={trial} />
      ))}
    </div>
  );
}

function OneTrial({ trial: { content, answer } }: { readonly trial: Trial }) {
  return (
    <div className="flex flex-col gap-2">
      <div className="max-w-[85%] self-end rounded-2xl bg-accent-soft px-3 py-2">
        <MessageParts {...{ role: 'user', content }} />
      </div>
      {!answer && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Answering
        </p>
      )}
      {answer?.fault && <Notice tone="danger">{answer.fault.message}</Notice>}
      {answer?.run && (
        <div className="min-w-0">
          <Reply content={answer.run.content} />
          <p className="mt-1 text-sm text-muted">
            {answer.run.model} · {answer.run.inputTokens} + {answer.run.outputTokens} tokens ·{' '}
            {answer.run.responseTime.toFixed(2)} s
          </p>
        </div>
      )}
    </div>
  );
}

function Reply({ content }: { readonly content: unknown }) {
  if (typeof content === 'string') {
    return content === '' ? <p className="text-muted">An empty reply.</p> : <Markdown text={content} />;
  }
  return (
    <p className="whitespace-pre-wrap break-words rounded-lg bg-sunken p-2 font-mono text-sm">{jsonText(content)}</p>
  );
}
