import { useCallback, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Fault, faultOf } from '../fault.ts';
import { SIGN_OUT } from './documents.ts';
import { Entrance } from './entrance.tsx';

/** The way out. It stands in place of the pages, so that nothing asks in the name of a session that is ending. */
export function SigningOut({ onDone }: { readonly onDone: () => void }) {
  const client = useClient();
  const [fault, setFault] = useState<Fault>();
  const leave = useCallback(async () => {
    setFault(undefined);
    const { error } = await client.mutation(SIGN_OUT, {}).toPromise();
    const found = error && faultOf(error);
    // A session that is over already is as good as ended.
    if (found && found.code !== 'unauthorized') setFault(found);
    else onDone();
  }, [client, onDone]);
  useEffect(() => {
    leave();
  }, [leave]);
  return (
    <Entrance title="Signing out">
      {fault && (
        <Notice tone="danger" action={<Button onClick={leave}>Try again</Button>}>
          {fault.message}
        </Notice>
      )}
    </Entrance>
  );
}
