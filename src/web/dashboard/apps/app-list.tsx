import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Table } from '../frame/table.tsx';
import { formatScopes } from '../keys/scopes.tsx';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { AppName } from './asking-app.tsx';
import { CONNECTED_APPS, DISCONNECT_APP } from './documents.ts';

type ConnectedApp = ResultOf<typeof CONNECTED_APPS>['connectedApps'][number];

/** The apps that act for the user. */
export function AppList() {
  const query = useServiceQuery(CONNECTED_APPS, {});
  const [leaving, setLeaving] = useState<ConnectedApp>();
  return (
    <>
      <Loaded query={query}>
        {({ connectedApps }) => (
          <Table
            label="Connected apps"
            columns={[
              { title: 'App', cell: (app) => <App app={app} /> },
              { title: 'Environment', cell: ({ environment }) => (environment === 'LIVE' ? 'Live' : 'Test') },
              { title: 'Scopes', cell: ({ scopes }) => formatScopes(scopes) },
              { title: 'Connected', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
              { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: 'Actions',
                cell: (app) => (
                  <Button
                    small
                    look="danger"
                    aria-label={`Disconnect ${app.clientName}`}
                    onClick={() => setLeaving(app)}
                  >
                    Disconnect
                  </Button>
                ),
              },
            ]}
            rows={connectedApps}
            keyOf={({ appId }) => appId}
            empty={<p>You have connected no apps. An app appears here after you have allowed its request.</p>}
          />
        )}
      </Loaded>
      {leaving && <DisconnectDialog app={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

function App({ app: { clientId, clientName, clientHost } }: { readonly app: ConnectedApp }) {
  return (
    <span title={clientId}>
      <AppName name={clientName} />
      <span className="block text-sm font-normal text-muted">
        {clientHost ?? <Badge tone="warn">Unverified</Badge>}
      </span>
    </span>
  );
}

function DisconnectDialog({ app, onClose }: { readonly app: ConnectedApp; readonly onClose: () => void }) {
  const { mutate, busy, error } = useServiceMutation(DISCONNECT_APP);
  const confirm = async () => {
    if (await mutate({ appId: app.appId })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Disconnect “${app.clientName}”?`}
      verb="Disconnect"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>The app loses its access immediately. To use it again, connect it again in the app.</p>
    </ConfirmDialog>
  );
}
