import { useApolloClient, useQuery, useSubscription } from '@apollo/client/react';
import { codeOf } from './client.ts';
import { Composer } from './composer.tsx';
import { messageOf, payloadOf } from './failure.ts';
import { CONVERSATION, CONVERSATION_CHANGED, DELETE, LABEL } from './operations.ts';
import { TimelineItem } from './timeline-item.tsx';
import { useAction } from './use-action.ts';

interface Props {
  readonly id: string;
  readonly onDeleted: () => void;
}

/** A conversation with its timeline, which follows what all its clients do. */
export function ConversationView({ id, onDeleted }: Props) {
  const client = useApolloClient();
  const { data, error } = useQuery(CONVERSATION, { variables: { id }, fetchPolicy: 'cache-and-network' });
  const conversation = data?.conversation;
  const after = conversation?.history.followCursor ?? null;
  /** Without the object, no list of the cache shows it. */
  const leave = () => {
    const key = conversation && client.cache.identify(conversation);
    if (key) client.cache.evict({ id: key });
    onDeleted();
  };
  const feed = useSubscription(CONVERSATION_CHANGED, {
    variables: { id, after },
    skip: !conversation,
    onError(fault) {
      // Another client has deleted it.
      if (codeOf(fault) === 'NOT_FOUND') leave();
    },
    onData({ data: { data: event } }) {
      const items = event?.conversationChanged.items ?? [];
      client.cache.updateQuery({ query: CONVERSATION, variables: { id } }, (before) => {
        if (!before?.conversation) return before;
        // Items that are shown already have changed in the normalized cache.
        const known = new Set(before.conversation.history.nodes.map((item) => item.id));
        const nodes = [...before.conversation.history.nodes, ...items.filter((item) => !known.has(item.id))];
        const history = { ...before.conversation.history, nodes };
        return { conversation: { ...before.conversation, history } };
      });
    },
  });
  const { run, isRunning, problem } = useAction();
  if (!conversation)
    return <p role="alert">{error ? messageOf(error) : data && 'This conversation does not exist.'}</p>;

  const addLabel = (form: FormData) =>
    run(async () => {
      const input = { conversationId: id, meta: { ...conversation.meta, [`${form.get('label')}`]: true } };
      const result = await client.mutate({ mutation: LABEL, variables: { input } });
      payloadOf(result.data?.updateConversation, 'UpdateConversationPayload');
    });
  const remove = () =>
    void run(async () => {
      const result = await client.mutate({ mutation: DELETE, variables: { input: { conversationId: id } } });
      payloadOf(result.data?.deleteConversation, 'DeleteConversationPayload');
      leave();
    });
  const { failure, status } = conversation.latestRun ?? {};
  return (
    <section aria-label="Conversation">
      <header>
        <h2>{conversation.name}</h2>
        <span>{Object.keys(conversation.meta).map((name) => `#${name} `)}</span>
        <form action={addLabel}>
          <input name="label" aria-label="Label" pattern="[a-z]+" required />
          <button type="submit" disabled={isRunning}>
            Add label
          </button>
        </form>
        <button type="button" disabled={isRunning} onClick={remove}>
          Delete
        </button>
      </header>
      <ol aria-label="Timeline">
        {conversation.history.nodes.map((item) => (
          <TimelineItem key={item.id} item={item} conversation={conversation} />
        ))}
      </ol>
      {status === 'RUNNING' && <p role="status">The assistant is working.</p>}
      {failure && status !== 'RUNNING' && (
        <p role="alert">
          {failure.message} {failure.advice}
        </p>
      )}
      {(problem || feed.error) && <p role="alert">{problem || messageOf(feed.error)}</p>}
      <Composer conversation={conversation} />
    </section>
  );
}
