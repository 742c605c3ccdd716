import { memo, type ReactNode } from 'react';
import type { HistoryItem } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { CallRow } from './call-row.tsx';
import { HandlingLine } from './handling-line.tsx';
import { MessageRow } from './message-row.tsx';

interface Props {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** Also shows the JSON of built-in tools. */
  readonly raw?: boolean;
  /** The names of the members who answered calls, by call ID. */
  readonly answeredBy?: ReadonlyMap<string, string>;
  /** What follows an item, in the same entry of the list. */
  readonly after?: (item: HistoryItem) => ReactNode;
}

const NOBODY: ReadonlyMap<string, string> = new Map();

/** The messages and tool calls of a conversation. */
export function Timeline({ items, raw = false, answeredBy = NOBODY, after }: Props) {
  return (
    <ol aria-label={texts().page.conversation} className="flex min-w-0 flex-col gap-4">
      {items.map((item) => (
        <li key={item.id} className="min-w-0">
          <TimelineItem {...{ item, raw }} answerer={'callId' in item ? answeredBy.get(item.callId) : undefined} />
          {after?.(item)}
        </li>
      ))}
    </ol>
  );
}

interface ItemProps {
  readonly item: HistoryItem;
  readonly raw: boolean;
  readonly answerer: string | undefined;
}

const TimelineItem = memo(function TimelineItem({ item, raw, answerer }: ItemProps) {
  if (item.type === 'message') return <MessageRow {...item} at={item.createdAt} />;
  if (item.type === 'handling') return <HandlingLine {...item} />;
  if (item.type !== 'conversation_completed') return <CallRow {...{ item, raw, answerer }} />;
  return (
    <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <span className="flex items-center gap-2">
        <Icon name="check" className="size-4" />
        {texts().calls.conversationCompleted}
      </span>
    </p>
  );
});
