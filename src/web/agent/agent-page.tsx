import { useEffect, useState } from 'react';
import type { ParleyClient } from '../../sdk/index.ts';
import { setAddress } from '../hosted/address.ts';
import type { WatchedConnection } from './connection.ts';
import { type AgentPageData, Conversation } from './conversation.tsx';
import { removeFirstTurn } from './first-turn.ts';

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: AgentPageData;
}

/** The hosted page of an agent. Each conversation is an entry of the browser's history. */
export function AgentPage(props: Props) {
  const { deploymentId, triggerRequired } = props.data;
  const [view, setView] = useState(0);
  useEffect(() => {
    const onNavigate = () => setView((before) => before + 1);
    addEventListener('popstate', onNavigate);
    return () => removeEventListener('popstate', onNavigate);
  }, []);
  const onNew = () => {
    removeFirstTurn(deploymentId);
    setAddress({}, 'push');
    setView((before) => before + 1);
  };
  // The key discards all state when another conversation is opened.
  return <Conversation key={view} {...props} onNew={triggerRequired ? undefined : onNew} />;
}
