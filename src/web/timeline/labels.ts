import { CLIENT_TOOLS, isClientToolName } from '../../contract/client-tools.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import type { CallStatus, HistoryItem } from '../../sdk/index.ts';
import type { Tone } from '../ui/notice.tsx';

interface StatusLabel {
  readonly label: string;
  readonly tone: Tone;
}

const STATUSES: Readonly<Record<CallStatus, StatusLabel>> = {
  pending: { label: 'Waiting', tone: 'warn' },
  running: { label: 'Running', tone: 'accent' },
  completed: { label: 'Done', tone: 'ok' },
  failed: { label: 'Failed', tone: 'danger' },
  not_completed: { label: 'Not applied', tone: 'warn' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
};

export type CallItem = Extract<HistoryItem, { readonly callId: string }>;

/** The label of a call's status. */
export function statusOf({ status, type }: Pick<CallItem, 'status' | 'type'>): StatusLabel {
  const { label, tone } = STATUSES[status];
  return status === 'completed' && type === 'client_tool' ? { label: 'Answered', tone } : { label, tone };
}

/** The title of a tool: `lookup_customer` becomes "Lookup customer". */
export function titleOf(name: string): string {
  if (isClientToolName(name)) return CLIENT_TOOLS[name].title;
  if (name === COMPLETION_TOOL) return 'Completion';
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
