import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { SecretDialog } from '../frame/secret-dialog.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useEnvironment, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { API_KEYS, type ApiKey } from './documents.ts';
import { CreateDialog, EditDialog, type NewSecret, RevokeDialog } from './key-dialogs.tsx';
import { KeyStatus } from './key-status.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { formatScopes } from './scopes.tsx';

/** The open dialog. It alone holds a secret, so closing the dialog drops the secret. */

type OpenDialogState =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit'; readonly apiKey: ApiKey }
  | { readonly kind: 'rotate'; readonly apiKey: ApiKey }
  | { readonly kind: 'revoke'; readonly apiKey: ApiKey }
  | { readonly kind: 'secret'; readonly secret: NewSecret };

export function Page() {
  const environment = useEnvironment();
  const [open, setOpen] = useState<OpenDialogState>();
  useOnCreate(() => setOpen({ kind: 'create' }));
  const query = useServiceQuery(API_KEYS, usePosition());
  return (
    <PageFrame
      title="API keys"
      lead={
        <>
          Keys of the <strong className="font-semibold text-ink">{environment}</strong> environment. They give access to
          this environment only.
        </>
      }
      actions={
        <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
          Create key
        </Button>
      }
    >
      <Loaded query={query}>
        {({ apiKeys: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="API keys"
              columns={columnsOf(setOpen)}
              rows={nodes}
              keyOf={({ apiKeyId }) => apiKeyId}
              empty={<p>The {environment} environment has no keys yet. Create a key to use the API.</p>}
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      <OpenDialog {...{ open, setOpen }} />
    </PageFrame>
  );
}

interface OpenDialogProps {
  readonly open: OpenDialogState | undefined;
  readonly setOpen: (open?: OpenDialogState) => void;
}

function OpenDialog({ open, setOpen }: OpenDialogProps) {
  const environment = useEnvironment();
  const onClose = () => setOpen(undefined);
  const onSecret = (secret: NewSecret) => setOpen({ kind: 'secret', secret });
  if (!open) return null;
  if (open.kind === 'create') return <CreateDialog {...{ onSecret, onClose }} />;
  if (open.kind === 'edit') return <EditDialog apiKey={open.apiKey} onClose={onClose} />;
  if (open.kind === 'rotate') return <RotateDialog apiKey={open.apiKey} {...{ onSecret, onClose }} />;
  if (open.kind === 'revoke') return <RevokeDialog apiKey={open.apiKey} onClose={onClose} />;
  const { name, secret, previousEndsAt } = open.secret;
  return (
    <SecretDialog title={`Secret of ${name}`} label="API key" secret={secret} onDone={onClose}>
      <p>This key gives access to the {environment} environment.</p>
      {previousEndsAt === null && (
        <Notice>The previous secret no longer works. Update every program that uses it.</Notice>
      )}
      {previousEndsAt && (
        <Notice>
          The previous secret works until <Time at={previousEndsAt} />. Update every program that uses it before then.
        </Notice>
      )}
    </SecretDialog>
  );
}

function columnsOf(open: (dialog: OpenDialogState) => void): Column<ApiKey>[] {
  return [
    {
      title: 'Name',
      cell: (key) => (
        <>
          <span className="block font-medium">{key.name}</span>
          <span className="block font-mono text-sm whitespace-nowrap text-muted">{key.masked}</span>
        </>
      ),
    },
    { title: 'Scopes', cell: ({ scopes }) => <span className="text-sm">{formatScopes(scopes)}</span> },
    {
      title: 'Requests per minute',
      numeric: true,
      cell: ({ requestsPerMinute }) => requestsPerMinute?.toLocaleString('en') ?? 'No limit',
    },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Last used', cell: (key) => <LastUse {...key} /> },
    { title: 'Status', cell: (key) => <KeyStatus {...key} /> },
    { title: 'Actions', cell: (key) => <Actions {...{ apiKey: key, open }} /> },
  ];
}

function LastUse({ lastUsedAt, lastUsedAddress }: ApiKey) {
  if (!lastUsedAt) return 'Never';
  return (
    <>
      <Time at={lastUsedAt} />
      {lastUsedAddress && <span className="block font-mono text-sm text-muted">{lastUsedAddress}</span>}
    </>
  );
}

function Actions({ apiKey, open }: { readonly apiKey: ApiKey; readonly open: (dialog: OpenDialogState) => void }) {
  if (apiKey.revokedAt) return <span className="text-muted">–</span>;
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
    <span className="flex flex-wrap justify-end gap-1 md:justify-start xl:flex-nowrap">
      {button('edit', 'Edit')}
      {button('rotate', 'Rotate')}
      {button('revoke', 'Revoke')}
    </span>
  );
}
