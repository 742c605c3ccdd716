import type { ErrorCode } from '../../../contract/errors.ts';
import { Badge, type Tone } from '../../ui/notice.tsx';

const RUNS = {
  RUNNING: ['Running', 'accent'],
  WAITING_FOR_CLIENT_ACTION: ['Waiting', 'warn'],
  COMPLETED: ['Completed', 'ok'],
  INTERRUPTED: ['Interrupted', 'neutral'],
  FAILED: ['Failed', 'danger'],
  EXPIRED: ['Expired', 'neutral'],
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>;

interface RunState {
  readonly status: keyof typeof RUNS;
  /** Why it failed. Undefined: another place of the page says it. */
  readonly failure?: { readonly message: string } | null;
}

export const runStatusLabel = (status: keyof typeof RUNS): string => RUNS[status][0];

/** The status of a turn, and why it failed. */
export function RunBadge({ status, failure }: RunState) {
  const [label, tone] = RUNS[status];
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {failure && <span className="mt-1 block text-sm text-muted">{failure.message}</span>}
    </>
  );
}

/** Why a turn failed, in words. */
export const ERROR_LABELS = {
  model_error: 'Model error',
  model_timeout: 'Model timeout',
  internal_error: 'Internal error',
  unavailable: 'Service unavailable',
} as const satisfies Partial<Record<ErrorCode, string>>;

interface OutcomeProps {
  readonly outcome: 'COMPLETED' | 'FAILED' | 'INTERRUPTED' | 'WAITING_FOR_CLIENT_ACTION';
  /** As the API names it, in upper case. */
  readonly errorCode: string | null;
}

/** The outcome of a turn in the workflow log. A turn that paused may have continued since. */
export function OutcomeBadge({ outcome, errorCode }: OutcomeProps) {
  const code = errorCode?.toLowerCase();
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      {outcome === 'WAITING_FOR_CLIENT_ACTION' ? <Badge>Paused</Badge> : <RunBadge status={outcome} />}
      {code && (
        <span className="text-sm whitespace-nowrap text-muted">
          {Object.hasOwn(ERROR_LABELS, code) ? ERROR_LABELS[code as keyof typeof ERROR_LABELS] : code}
        </span>
      )}
    </span>
  );
}

/** The status of a conversation: completed, or the status of its latest turn. Without a turn it is active. */
export function ConversationBadge({
  status,
  latestRun,
}: {
  readonly status: 'ACTIVE' | 'COMPLETED';
  readonly latestRun: RunState | null;
}) {
  if (status === 'COMPLETED') return <Badge tone="ok">Completed</Badge>;
  return latestRun ? <RunBadge {...latestRun} /> : <Badge>Active</Badge>;
}
