import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { LIMITS } from '../../../contract/limits.ts';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useServiceQuery } from '../requests.ts';
import { EntryPage } from '../session/entry-page.tsx';
import type { AccountActions } from './account.tsx';
import { Decision } from './decision.tsx';
import { CONNECTION_REQUEST } from './documents.ts';

/** The page on which a member allows or denies the access that an app asks for. */
export function Connect({ requestId, ...actions }: AccountActions & { readonly requestId: string }) {
  const query = useServiceQuery(CONNECTION_REQUEST, { requestId });
  const [isDecided, setDecided] = useState(false);
  useEffect(() => {
    document.title = 'Connect an app · Parley';
  }, []);
  const onDecided = (redirectUrl: string) => {
    setDecided(true);
    window.location.assign(redirectUrl);
  };
  return (
    <EntryPage title="Connect an app" wide>
      {isDecided ? (
        <Notice>
          The app continues with your answer. If it does not open, return to it yourself. You can then close this page.
        </Notice>
      ) : (
        <Loaded query={query}>
          {({ connectionRequest }) =>
            connectionRequest ? (
              <Decision key={requestId} request={connectionRequest} {...{ onDecided, ...actions }} />
            ) : (
              <Unavailable />
            )
          }
        </Loaded>
      )}
    </EntryPage>
  );
}

function Unavailable() {
  return (
    <>
      <Notice tone="warn">
        {`There is nothing to decide here. The request of the app is older than ${LIMITS.appRequestMinutes} minutes, was answered, or began in another browser. Connect again in the app.`}
      </Notice>
      <Link to="/" className="text-accent underline">
        Open the dashboard
      </Link>
    </>
  );
}
