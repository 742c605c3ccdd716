import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useEnvironment } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { API_KEYS } from './documents.ts';
import { type ApiKey, CreateDialog, EditDialog, RevokeDialog, RotateDialog, type Shown } from './key-dialogs.tsx';
import { scopesInWords } from './scopes.tsx';

/** The dialog that is open. A secret is held by it alone, so that it goes with it. */
type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit'; readonly apiKey: ApiKey }
  | { readonly kind: 'rotate'; readonly apiKey: ApiKey }
  | { readonly kind: 'revoke'; readonly apiKey: ApiKey }
  | { readonly kind: 'secret'; readonly shown: Shown };

export function Page() {
  const environment = useEnvironment();
  const [open, setOpen] = useState<Open>();
  const reading = useReading(API_KEYS, usePosition());
  return (
    <PageFrame
      title="API keys"
      lead={
        <>
          Keys of the <strong className="font-semibold text-ink">{environment}</strong> environment. They open it, and
          nothing else.
        </>
      }
      actions={
        <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
          Create a key
        </Button>
      }
    >
      <Loaded reading={reading}>
        {({ apiKeys: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="API keys"
              columns={columnsOf(setOpen)}
              rows={nodes}
              keyOf={({ apiKeyId }) => apiKeyId}
              empty={<p>There are no keys of the {environment} environment. Create one, and programs can use it.</p>}
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      <OpenDialog {...{ open, setOpen }} />
    </PageFrame>
  );
}

function OpenDialog({ open, setOpen }: { readonly open: Open | undefined; readonly setOpen: (open?: Open) => void }) {
  const environment = useEnvironment();
  const onClose = () => setOpen(undefined);
  const onShow = (shown: Shown) => setOpen({ kind: 'secret', shown });
  if (!open) return null;
  if (open.kind === 'create') return <CreateDialog {...{ onShow, onClose }} />;
  if (open.kind === 'edit') return <EditDialog apiKey={open.apiKey} onClose={onClose} />;
  if (open.kind === 'rotate') return <RotateDialog apiKey={open.apiKey} {...{ onShow, onClose }} />;
  if (open.kind === 'revoke') return <RevokeDialog apiKey={open.apiKey} onClose={onClose} />;
  const { name, secret, isRotated } = open.shown;
  return (
    <SecretDialog title={`The secret of ${name}`} label="API key" secret={secret} onDone={onClose}>
      <p>
        This is the key {name} of the {environment} environment.
      </p>
      {isRotated && <Notice>The secret before it has stopped: give this one to whatever used it.</Notice>}
    </SecretDialog>
  );
}

function columnsOf(open: (what: Open) => void): Column<ApiKey>[] {
  return [
    {
      title: 'Name',
      cell: (key) => (
        <>
          <span className="block font-medium">{key.name}</span>
          <span className="block font-mono text-sm text-muted">{key.masked}</span>
        </>
      ),
    },
    { title: 'Scopes', cell: ({ scopes }) => <span className="text-sm">{scopesInWords(scopes)}</span> },
    {
      title: 'Requests a minute',
      numeric: true,
      cell: ({ requestsPerMinute }) => requestsPerMinute?.toLocaleString('en') ?? 'No limit',
    },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
    { title: 'State', cell: (key) => <State {...key} /> },
    { title: 'Actions', cell: (key) => <Actions {...{ apiKey: key, open }} /> },
  ];
}

function State({ revokedAt, rotatedAt }: ApiKey) {
  const [at, said] = revokedAt ? [revokedAt, 'revoked'] : [rotatedAt, 'rotated'];
  return (
    <span className="flex flex-col items-end gap-1 md:items-start">
      <Badge tone={revokedAt ? 'neutral' : 'ok'}>{revokedAt ? 'Revoked' : 'In use'}</Badge>
      {at && (
        <span className="text-sm text-muted">
          {said} <Time at={at} />
        </span>
      )}
    </span>
  );
}

function Actions({ apiKey, open }: { readonly apiKey: ApiKey; readonly open: (what: Open) => void }) {
  if (apiKey.revokedAt) return <span className="text-muted">None</span>;
  const button = (kind: 'edit' | 'rotate' | 'revoke', verb: string) => (
    <Button
      small
      look={kind === 'revoke' ? 'danger' : 'plain'}
      aria-label={`${verb} ${apiKey.name}`}
      onClick={() => open({ kind, apiKey })}
    >
      {verb}
    </Button>
  );
  return (
    <span className="flex flex-wrap justify-end gap-1 md:justify-start">
      {button('edit', 'Edit')}
      {button('rotate', 'Rotate')}
      {button('revoke', 'Revoke')}
    </span>
  );
}
