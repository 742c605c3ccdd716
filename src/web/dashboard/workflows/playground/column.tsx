import { lazy, Suspense, useEffect, useRef } from 'react';
import { ErrorBoundary } from '../../../ui/error-boundary.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { retried } from '../../../ui/load.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ModelPicker } from '../../models/model-picker.tsx';
import type { Test } from './use-test.ts';
import { useTestRound } from './use-test-round.ts';
import type { Variant } from './variants.ts';

// They are needed after the first message.
const PendingRound = lazy(async () => ({
  default: (await retried(() => import('../../../calls/pending-round.tsx'))).PendingRound,
}));
const TurnList = lazy(async () => ({ default: (await retried(() => import('./turn-list.tsx'))).TurnList }));

interface Props {
  /** Distinguishes the columns for screen readers, like "Left". Undefined if there is only one. */
  readonly side: string | undefined;
  readonly test: Test;
  readonly variant: Variant;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onVariant: (variant: Variant) => void;
}

/** One conversation of the playground, with what it runs. */
export function Column({ side, test, variant, choices, onVariant }: Props) {
  const { turns, isRunning, waiting } = test;
  const labelOf = (field: string) => (side ? `${side} ${field}` : field.charAt(0).toUpperCase() + field.slice(1));
  return (
    <section
      aria-label={side ? `${side} test` : 'Test'}
      className="flex min-w-0 flex-col gap-4 rounded-xl border border-line bg-surface p-4"
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={labelOf('version')}
          value={variant.source}
          disabled={isRunning}
          onChange={(event) => onVariant({ ...variant, source: event.target.value })}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <ModelPicker
          label={labelOf('model')}
          inherit="Its own model"
          value={variant.model}
          disabled={isRunning}
          onChange={(model) => onVariant({ ...variant, model })}
        />
      </div>
      <ErrorBoundary>
        <Suspense fallback={<Skeleton rows={2} />}>
          <Turns test={test} />
          {waiting.length > 0 && <WaitingCalls key={turns.at(-1)?.steps.length} test={test} />}
        </Suspense>
      </ErrorBoundary>
    </section>
  );
}

function WaitingCalls({ test }: { readonly test: Test }) {
  const round = useTestRound(test);
  return (
    <PendingRound round={round} conversationId="playground" viewer="client" takesFocus={false} isSending={false} />
  );
}

function Turns({ test }: { readonly test: Test }) {
  const { turns } = test;
  const end = useRef<HTMLDivElement>(null);
  const progress = turns.map(({ steps, status }) => `${steps.length}${status}`).join();
  useEffect(() => {
    if (progress) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [progress]);
  const last = turns.at(-1);
  if (!last) return <p className="text-sm text-muted">Send a message to see the reply.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <div ref={end} tabIndex={0} className="max-h-[60dvh] min-h-0 overflow-y-auto">
        <TurnList test={test} focusTurns={() => end.current?.focus()} />
      </div>
      <p role="status" className="sr-only">
        {STATUS[last.status]}
      </p>
    </>
  );
}

const STATUS = {
  running: 'The assistant is working.',
  waiting: 'The assistant waits for your answer.',
  done: 'The reply is complete.',
  failed: 'The turn has failed.',
} as const;
