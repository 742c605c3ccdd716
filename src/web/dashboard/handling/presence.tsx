import type { ResultOf } from 'gql.tada';
import { type RefObject, useCallback, useEffect } from 'react';
import { stringifyDocument, useClient } from 'urql';
import { followSubscription } from '../../../sdk/index.ts';
import { useVisible } from '../../hosted/requests.ts';
import { useTyping } from '../../hosted/use-typing.ts';
import { inOneTab } from '../live/one-tab.ts';
import { useEnvironment } from '../location.ts';
import { usePermission } from '../session/session.ts';
import { PRESENCE, SET_PRESENCE } from './documents.ts';

/** How often the page reports that the conversation is open. The service forgets it after twice as long. */
const OPEN_MS = 20_000;

export type Person = ResultOf<typeof PRESENCE>['presenceChanged']['people'][number];

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  /** Takes the others who are in the conversation: people of the team, and the user while the user types. */
  readonly onOthers: (others: readonly Person[]) => void;
  /** Gets the function that takes the text of the composer each time that the member changes or sends it. */
  readonly typing: RefObject<(text: string) => void>;
}

const NOBODY: readonly Person[] = [];

/** Who else is in a conversation. The open page reports its member, which also keeps the conversation for them. */
export function Presence({ id: conversationId, onOthers: setOthers, typing }: Props) {
  const environment = useEnvironment();
  const client = useClient();
  const canHandle = usePermission('conversations:handle');
  const report = useCallback(
    // A lost report is followed by the next one.
    (input: { readonly isTyping: boolean; readonly isOpen?: boolean }) => {
      // The report of a page that closes must still arrive.
      const fetchOptions = { keepalive: true, headers: { 'x-environment': environment } };
      client.mutation(SET_PRESENCE, { input: { conversationId, ...input } }, { fetchOptions }).toPromise();
    },
    [client, conversationId, environment],
  );
  const { onType, isTyping } = useTyping(useCallback((types: boolean) => report({ isTyping: types }), [report]));

  useEffect(() => {
    if (!canHandle) return;
    report({ isTyping: false });
    const timer = setInterval(() => report({ isTyping: isTyping() }), OPEN_MS);
    const leave = () => report({ isTyping: false, isOpen: false });
    addEventListener('pagehide', leave);
    return () => {
      clearInterval(timer);
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [canHandle, report, isTyping]);

  const isFollowed = useVisible() && canHandle;
  useEffect(() => {
    if (!isFollowed) return;
    const end = new AbortController();
    inOneTab('presence', end.signal, async (signal) => {
      await followSubscription<ResultOf<typeof PRESENCE>>({
        baseUrl: '',
        headers: { 'x-environment': environment },
        query: stringifyDocument(PRESENCE),
        variables: { id: conversationId },
        signal,
        onEvent({ presenceChanged: { people } }) {
          if (!signal.aborted) setOthers(people.filter(({ isMe }) => !isMe));
          // The first event of each connection has all who are there.
          return '';
        },
        onDisconnect: () => setOthers(NOBODY),
      });
      if (!end.signal.aborted) setOthers(NOBODY);
    });
    return () => {
      end.abort();
      setOthers(NOBODY);
    };
  }, [isFollowed, conversationId, environment, setOthers]);

  useEffect(() => {
    typing.current = onType;
  }, [typing, onType]);
  return null;
}
