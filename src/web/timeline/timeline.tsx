import { memo } from 'react';
import type { HistoryItem } from '../../sdk/index.ts';
import { Icon } from '../ui/icon.tsx';
import { CallRow } from './call-row.tsx';
import { MessageRow } from './message-row.tsx';

interface Props {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** Also shows the JSON of built-in tools. */
  readonly raw?: boolean;
}

/** The messages and tool calls of a conversation. */
export function Timeline({ items, raw = false }: Props) {
  return (
    <ol aria-label="Conversation" className="flex min-w-0 flex-col gap-4">
      {items.map((item) => (
        <li key={item.id} className="min-w-0">
          <TimelineItem {...{ item, raw }} />
        </li>
      ))}
    </ol>
  );
}

const TimelineItem = memo(function TimelineItem({ item, raw }: { readonly item: HistoryItem; readonly raw: boolean }) {
  if (item.type === 'message') return <MessageRow role={item.role} content={item.content} at={item.createdAt} />;
  if (item.type !== 'conversation_completed') return <CallRow {...{ item, raw }} />;
  return (
    <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <span className="flex items-center gap-2">
        <Icon name="check" className="size-4" />
        {item.summary}
      </span>
    </p>
  );
});
