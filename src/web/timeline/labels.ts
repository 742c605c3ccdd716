import { isClientToolName } from '../../contract/client-tools.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import type { CallStatus, HistoryItem } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import type { Tone } from '../ui/notice.tsx';

interface StatusLabel {
  readonly label: string;
  readonly tone: Tone;
}

const TONES: Readonly<Record<CallStatus, Tone>> = {
  pending: 'warn',
  running: 'accent',
  completed: 'ok',
  failed: 'danger',
  not_completed: 'warn',
  cancelled: 'neutral',
};

export type CallItem = Extract<HistoryItem, { readonly callId: string }>;

/** The label of a call's status. */
export function statusOf({ status, type }: Pick<CallItem, 'status' | 'type'>): StatusLabel {
  const t = texts().calls;
  const isAnswered = status === 'completed' && type === 'client_tool';
  return { label: isAnswered ? t.answered : t[status], tone: TONES[status] };
}

/** The title of a tool: `lookup_customer` becomes "Lookup customer". */
export function titleOf(name: string): string {
  if (isClientToolName(name)) return texts().tools[name];
  if (name === COMPLETION_TOOL) return texts().tools.completion;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
