import { useQuery, useSubscription } from '@apollo/client/react';
import { useDeferredValue, useState } from 'react';
import { messageOf } from './failure.ts';
import type { ConversationFilter, RowFragment } from './gql/graphql.ts';
import { CONVERSATIONS, CONVERSATIONS_CHANGED } from './operations.ts';

interface Props {
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

const SHOWN = {
  All: {},
  'Waiting for an answer': { runStatuses: ['WAITING_FOR_CLIENT_ACTION'] },
  Failed: { runStatuses: ['FAILED', 'INTERRUPTED'] },
} satisfies Record<string, ConversationFilter>;

export function ConversationList({ selected, onSelect }: Props) {
  const [shown, setShown] = useState<keyof typeof SHOWN>('All');
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const filter: ConversationFilter = { ...SHOWN[shown], ...(search && { search }) };
  const { data, error, fetchMore } = useQuery(CONVERSATIONS, {
    variables: { filter },
    fetchPolicy: 'cache-and-network',
  });
  useLiveList(filter, data?.conversations.followCursor);
  const { nodes = [], pageInfo } = data?.conversations ?? {};
  return (
    <nav aria-label="Conversations">
      <form onSubmit={(event) => event.preventDefault()}>
        <input type="search" aria-label="Search" value={text} onChange={({ target }) => setText(target.value)} />
        <select aria-label="Show" value={shown} onChange={({ target }) => setShown(target.value as keyof typeof SHOWN)}>
          {Object.keys(SHOWN).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </form>
      {error && <p role="alert">{messageOf(error)}</p>}
      <ul>
        {nodes.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              aria-current={row.conversationId === selected || undefined}
              onClick={() => onSelect(row.conversationId)}
            >
              {row.name} <Labels row={row} />
            </button>
          </li>
        ))}
      </ul>
      {data && nodes.length === 0 && <p>No conversations match.</p>}
      {pageInfo?.hasNextPage && (
        <button type="button" onClick={() => void fetchMore({ variables: { filter, after: pageInfo.endCursor } })}>
          Show more
        </button>
      )}
    </nav>
  );
}

/** The newest change comes first. A conversation that no longer matches leaves the list. */
function useLiveList(filter: ConversationFilter, followCursor: string | undefined): void {
  useSubscription(CONVERSATIONS_CHANGED, {
    variables: { filter, after: followCursor ?? null },
    skip: !followCursor,
    ignoreResults: true,
    onData({ client, data: { data } }) {
      const change = data?.conversationsChanged;
      if (!change) return;
      client.cache.updateQuery({ query: CONVERSATIONS, variables: { filter } }, (list) => {
        if (!list) return list;
        const others = list.conversations.nodes.filter(
          ({ conversationId }) => conversationId !== change.conversationId,
        );
        const nodes = change.matches && change.conversation ? [change.conversation, ...others] : others;
        return { ...list, conversations: { ...list.conversations, nodes } };
      });
    },
  });
}

function Labels({ row }: { readonly row: RowFragment }) {
  const { status } = row.latestRun ?? {};
  const labels = Object.keys(row.meta).map((name) => `#${name}`);
  return <small>{[status?.toLowerCase().replaceAll('_', ' '), ...labels].filter(Boolean).join(' · ')}</small>;
}
