import { useState } from 'react';
import { useClient } from 'urql';
import { type RequestError, requestErrorOf } from '../request-error.ts';
import { useSend } from '../requests.ts';
import type { Check } from './check-result.tsx';
import { CHECK_DOCUMENT, PUBLISH_DOCUMENT } from './documents.ts';

/** A text and the name under which it is published. */
export interface Draft {
  readonly name: string;
  readonly text: string;
}

/** A check, and the draft that was checked. */
export interface CheckedDraft {
  readonly draft: Draft;
  readonly check: Check;
}

export interface PublishedDocument {
  readonly documentId: string;
  readonly version: number;
}

interface State {
  readonly busy?: 'check' | 'publish' | undefined;
  readonly checked?: CheckedDraft | undefined;
  readonly error?: RequestError | undefined;
  /** Whether the user must acknowledge the breaking changes of the checked draft. */
  readonly isAsking?: boolean;
}

export interface PublicationOptions {
  /** The version that the user has read. 0: the document is new. */
  readonly version: number;
  /** The current version, which the page knows without a check. */
  readonly current?: CheckedDraft | undefined;
  readonly onPublished: (document: PublishedDocument, draft: Draft) => void;
}

/** Checks and publishes drafts. */
export function usePublication({ version, current, onPublished }: PublicationOptions) {
  const client = useClient();
  const send = useSend(PUBLISH_DOCUMENT);
  const [state, setState] = useState<State>({ checked: current });

  const check = async (draft: Draft, busy: 'check' | 'publish' = 'check'): Promise<Check | undefined> => {
    setState((before) => ({ ...before, busy, error: undefined }));
    const { data, error } = await client
      .query(CHECK_DOCUMENT, { ...draft }, { requestPolicy: 'network-only' })
      .toPromise();
    const checked = data && { draft, check: data.documentCheck };
    setState({ checked, error: error && requestErrorOf(error) });
    return checked?.check;
  };

  const publish = async (draft: Draft, acknowledgeBreaking: boolean): Promise<void> => {
    setState((before) => ({ ...before, busy: 'publish', error: undefined }));
    const { data, error } = await send({ input: { ...draft, acknowledgeBreaking, ifVersion: version } });
    setState((before) => ({ ...before, busy: undefined, error, isAsking: error !== undefined && acknowledgeBreaking }));
    if (data) onPublished(data.document, draft);
  };

  /** Publishes a draft without problems. Asks before it breaks callers. */
  const checkAndPublish = async (draft: Draft): Promise<void> => {
    const result = await check(draft, 'publish');
    if (!result || result.problems.length > 0) return;
    if (result.breakingChanges.length > 0) setState((before) => ({ ...before, isAsking: true }));
    else await publish(draft, false);
  };

  const cancel = () => setState(({ checked }) => ({ checked }));
  return { ...state, check, checkAndPublish, publish, cancel };
}
