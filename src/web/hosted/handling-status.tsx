import { useEffect, useRef, useState } from 'react';
import { textOf } from '../../contract/content.ts';
import { numberOfItem } from '../../contract/ids.ts';
import type { HandlingChange, HistoryItem, Message } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { changeText } from '../timeline/handling-line.tsx';

interface Props {
  /** Null in a new conversation. */
  readonly conversationId: string | null;
  /** Whether the newest items of the conversation are loaded. */
  readonly isLoaded: boolean;
  /** Oldest first. */
  readonly items: readonly (Message | HistoryItem)[];
}

/** Announces to screen readers that a person has joined or left, and what the person writes. Loaded items are no news. */
export function HandlingStatus({ conversationId, isLoaded, items }: Props) {
  const [news, setNews] = useState<News>();
  const shown = useRef<string | null>(undefined);
  /** The newest item that needs no announcement. Undefined until the conversation is loaded. */
  const known = useRef<number>(undefined);
  const last = items.findLast(isOfPerson);
  const id = last && numberOfItem(last.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a person's item does not change
  useEffect(() => {
    // A conversation that starts here has nothing to load.
    if (conversationId === null) known.current = 0;
    else if (shown.current !== null && shown.current !== conversationId) known.current = undefined;
    shown.current = conversationId;
    if (!isLoaded) return;
    const before = known.current;
    known.current = Math.max(before ?? 0, id ?? 0);
    if (last && before !== undefined && id && id > before) setNews({ id, text: announcement(last) });
  }, [conversationId, isLoaded, id]);
  return (
    <div role="status" className="sr-only">
      {news && <p key={news.id}>{news.text}</p>}
    </div>
  );
}

interface News {
  readonly id: number;
  readonly text: string;
}

type OfPerson = HandlingChange | (Pick<Message, 'content' | 'author'> & { readonly id: number | string });

const isOfPerson = (item: Message | HistoryItem): item is (Message | HistoryItem) & OfPerson =>
  ('type' in item && item.type === 'handling') || ('author' in item && item.author !== undefined);

function announcement(item: OfPerson): string {
  if ('mode' in item) return changeText(item);
  return texts().handling.said(item.author?.displayName ?? '', textOf(item.content));
}
