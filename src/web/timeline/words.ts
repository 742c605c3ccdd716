import type { CallStatus, HistoryItem } from '../../sdk/index.ts';
import type { Tone } from '../ui/notice.tsx';

interface StatusWord {
  readonly word: string;
  readonly tone: Tone;
}

const STATUSES: Readonly<Record<CallStatus, StatusWord>> = {
  pending: { word: 'Waiting', tone: 'warn' },
  running: { word: 'Running', tone: 'accent' },
  completed: { word: 'Done', tone: 'ok' },
  failed: { word: 'Failed', tone: 'danger' },
  not_completed: { word: 'Not applied', tone: 'warn' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
};

export type CallItem = Extract<HistoryItem, { readonly callId: string }>;

/** What became of a call, in a word. */
export function statusOf({ status, type }: Pick<CallItem, 'status' | 'type'>): StatusWord {
  const { word, tone } = STATUSES[status];
  return status === 'completed' && type === 'client_tool' ? { word: 'Answered', tone } : { word, tone };
}

const TITLES: Readonly<Record<string, string>> = {
  ask_user: 'Questions',
  upload_document: 'Document',
  complete_conversation: 'Completing the conversation',
};

/** A tool's name as people would say it: `lookup_customer` is "Lookup customer". */
export function titleOf(name: string): string {
  const own = Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;
  if (own) return own;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
