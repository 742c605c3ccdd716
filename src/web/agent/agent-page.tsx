import { useEffect, useState } from 'react';
import type { ParleyClient } from '../../sdk/index.ts';
import { savedConversations } from '../conversations/saved-conversations.ts';
import { userConversations } from '../conversations/user-conversations.ts';
import { setAddress } from '../hosted/address.ts';
import type { HostedData } from '../hosted/branding.ts';
import type { UserSession } from '../hosted/user-session.ts';
import type { WatchedConnection } from './connection.ts';
import { Conversation } from './conversation.tsx';
import { removeFirstTurn } from './first-turn.ts';

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: HostedData;
  /** Undefined for a visitor. */
  readonly user: UserSession | undefined;
}

/** The hosted page of an agent. Each conversation is an entry of the browser's history. */
export function AgentPage({ user, ...props }: Props) {
  const { deploymentId, triggerRequired } = props.data;
  const [view, setView] = useState(0);
  const [saved] = useState(() => (user ? userConversations(props.client) : savedConversations('agent', deploymentId)));
  useEffect(() => {
    const onNavigate = () => setView((before) => before + 1);
    addEventListener('popstate', onNavigate);
    return () => removeEventListener('popstate', onNavigate);
  }, []);
  const onOpen = (conversationId: string | null) => {
    if (conversationId === null) removeFirstTurn(deploymentId);
    setAddress({ cid: conversationId }, 'push');
    setView((before) => before + 1);
  };
  // The key discards all state when another conversation is opened.
  return (
    <Conversation
      key={view}
      {...props}
      {...{ user, saved, onOpen }}
      onNew={triggerRequired ? undefined : () => onOpen(null)}
    />
  );
}
