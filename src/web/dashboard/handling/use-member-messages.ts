import { useCallback, useContext, useRef, useState } from 'react';
import type { MessageContent } from '../../../sdk/index.ts';
import { newKey } from '../../hosted/requests.ts';
import { useEnvironment } from '../location.ts';
import { failureOf } from '../request-error.ts';
import { RefreshContext } from '../requests.ts';

interface MemberMessages {
  /** Sends a message of the member. It rejects if the message was not stored, or nobody knows whether it was. */
  readonly send: (content: MessageContent) => Promise<void>;
  /** Why the latest message was not sent. */
  readonly error: string | undefined;
}

/** Messages of the member who has the conversation. The request has the form of the REST API, like the composer's content. */
export function useMemberMessages(conversationId: string): MemberMessages {
  const environment = useEnvironment();
  const { refresh } = useContext(RefreshContext);
  const [error, setError] = useState<string>();
  const unanswered = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const send = useCallback(
    async (content: MessageContent) => {
      const body = JSON.stringify({ content });
      // The service stores a repeated message once: the response of the first attempt may have been lost.
      const key = unanswered.current?.body === body ? unanswered.current.key : newKey();
      unanswered.current = { body, key };
      const headers = { 'content-type': 'application/json', 'x-environment': environment, 'idempotency-key': key };
      const path = `/v1/conversations/${conversationId}/member-messages`;
      const response = await fetch(path, { method: 'POST', headers, body }).catch(() => undefined);
      const failure = response ? await reasonOf(response) : UNREACHABLE;
      setError(failure);
      refresh();
      if (failure !== undefined) throw new Error(failure);
      unanswered.current = undefined;
    },
    [conversationId, environment, refresh],
  );
  return { send, error };
}

const UNREACHABLE = 'The service could not be reached. Check your connection and send the message again.';

async function reasonOf(response: Response): Promise<string | undefined> {
  return response.ok ? undefined : failureOf(response, 'The message');
}
