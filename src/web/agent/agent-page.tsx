import { useEffect, useState } from 'react';
import type { ParleyClient } from '../../sdk/index.ts';
import { setAddress } from '../hosted/address.ts';
import { useEscape } from '../hosted/escape.ts';
import type { WatchedConnection } from './connection.ts';
import { type AgentPageData, Conversation } from './conversation.tsx';
import { dropFirstTurn } from './first-turn.ts';

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: AgentPageData;
}

/** The hosted page of an agent: one conversation at a time, each an entry of the browser's history. */
export function AgentPage(props: Props) {
  const { deploymentId, triggerRequired } = props.data;
  const [visit, setVisit] = useState(0);
  // A turn of an agent cannot be stopped from here.
  useEscape(() => false);
  useEffect(() => {
    const onMove = () => setVisit((before) => before + 1);
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, []);
  const onNew = () => {
    dropFirstTurn(deploymentId);
    setAddress({}, 'push');
    setVisit((before) => before + 1);
  };
  // Nothing of one conversation is left when another is opened.
  return <Conversation key={visit} {...props} onNew={triggerRequired ? undefined : onNew} />;
}
