import { Badge, type Tone } from '../../ui/notice.tsx';

const RUNS = {
  running: ['Running', 'accent'],
  waiting_for_client_action: ['Waiting', 'warn'],
  completed: ['Done', 'ok'],
  interrupted: ['Interrupted', 'neutral'],
  failed: ['Failed', 'danger'],
  expired: ['Expired', 'neutral'],
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>;

/** Where a turn stands, or how it ended. */
export function RunBadge({ status }: { readonly status: keyof typeof RUNS }) {
  const [word, tone] = RUNS[status];
  return <Badge tone={tone}>{word}</Badge>;
}

interface OutcomeProps {
  readonly outcome: 'completed' | 'failed' | 'interrupted' | 'waiting_for_client_action';
}

/** How a turn of the log ended; one that paused then may have gone on long since. */
export function OutcomeBadge({ outcome }: OutcomeProps) {
  return outcome === 'waiting_for_client_action' ? <Badge>Paused</Badge> : <RunBadge status={outcome} />;
}

/** Where a conversation stands: its end, or its latest turn; an ordinary chat has none to show. */
export function ConversationBadge({
  status,
  run,
}: {
  readonly status: 'active' | 'completed';
  readonly run: { readonly status: keyof typeof RUNS } | null;
}) {
  if (status === 'completed') return <Badge tone="ok">Completed</Badge>;
  return run ? <RunBadge status={run.status} /> : <Badge>Chat</Badge>;
}
