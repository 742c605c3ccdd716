import { useCallback, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { type RequestError, requestErrorOf } from '../request-error.ts';
import { SIGN_OUT } from '../session/documents.ts';
import { EntryPage } from '../session/entry-page.tsx';
import { removeAllUnsaved } from '../workflows/draft/unsaved-drafts.ts';

/** Signs out. It replaces the pages, so no page sends a request with the ending session. */
export function SigningOut({ onDone }: { readonly onDone: () => void }) {
  const client = useClient();
  const [error, setError] = useState<RequestError>();
  const signOut = useCallback(async () => {
    setError(undefined);
    const result = await client.mutation(SIGN_OUT, {}).toPromise();
    const rejection = result.error && requestErrorOf(result.error);
    // 401 means that the session has already expired.
    if (rejection && rejection.code !== 'unauthorized') setError(rejection);
    else {
      removeAllUnsaved();
      onDone();
    }
  }, [client, onDone]);
  useEffect(() => {
    signOut();
  }, [signOut]);
  return (
    <EntryPage title="Signing out">
      <ErrorNotice error={error} action={<Button onClick={signOut}>Try again</Button>} />
    </EntryPage>
  );
}
