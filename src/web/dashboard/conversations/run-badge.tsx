import { Badge, type Tone } from '../../ui/notice.tsx';

const RUNS = {
  RUNNING: ['Running', 'accent'],
  WAITING_FOR_CLIENT_ACTION: ['Waiting', 'warn'],
  COMPLETED: ['Completed', 'ok'],
  INTERRUPTED: ['Interrupted', 'neutral'],
  FAILED: ['Failed', 'danger'],
  EXPIRED: ['Expired', 'neutral'],
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>;

/** The status of a turn. */
export function RunBadge({ status }: { readonly status: keyof typeof RUNS }) {
  const [label, tone] = RUNS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

interface OutcomeProps {
  readonly outcome: 'COMPLETED' | 'FAILED' | 'INTERRUPTED' | 'WAITING_FOR_CLIENT_ACTION';
}

/** The outcome of a turn in the workflow log. A turn that paused may have continued since. */
export function OutcomeBadge({ outcome }: OutcomeProps) {
  return outcome === 'WAITING_FOR_CLIENT_ACTION' ? <Badge>Paused</Badge> : <RunBadge status={outcome} />;
}

/** The status of a conversation: completed, or the status of its latest turn. A plain chat has no run. */
export function ConversationBadge({
  status,
  run,
}: {
  readonly status: 'ACTIVE' | 'COMPLETED';
  readonly run: { readonly status: keyof typeof RUNS } | null;
}) {
  if (status === 'COMPLETED') return <Badge tone="ok">Completed</Badge>;
  return run ? <RunBadge status={run.status} /> : <Badge>Chat</Badge>;
}
