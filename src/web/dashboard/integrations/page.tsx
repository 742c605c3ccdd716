import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { FilterSelect, Filters } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useEnvironment, useFilter, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { INTEGRATIONS } from './documents.ts';
import { ConnectDialog, DisconnectDialog, EditDialog, type Integration, kindName } from './integration-dialogs.tsx';
import { OUTCOMES, SignInBadge, SignInDialog } from './sign-in-dialog.tsx';
import { ToolsDialog } from './tools-dialog.tsx';

const STATES = [
  ['', 'Connected'],
  ['disconnected', 'Disconnected'],
  ['all', 'All'],
] as const;

const CONNECTED: Readonly<Record<string, boolean | null>> = { disconnected: false, all: null };

type OpenDialogState =
  | { readonly kind: 'edit' | 'disconnect' | 'tools' | 'sign-in'; readonly integration: Integration }
  | { readonly kind: 'connect' };

export function Page() {
  const environment = useEnvironment();
  const [state] = useFilter('state');
  const [open, setOpen] = useState<OpenDialogState>();
  useOnCreate(() => setOpen({ kind: 'connect' }));
  const close = () => setOpen(undefined);
  const connected = state in CONNECTED ? CONNECTED[state] : true;
  const query = useServiceQuery(INTEGRATIONS, { connected: connected ?? null, ...usePosition() });
  return (
    <PageFrame
      title="Integrations"
      lead={`MCP servers and HTTP APIs that assistants can use in the ${environment} environment.`}
      actions={
        <Button look="primary" onClick={() => setOpen({ kind: 'connect' })}>
          Connect integration
        </Button>
      }
    >
      <Outcome />
      <Filters>
        <FilterSelect label="Show" name="state" options={STATES} />
      </Filters>
      <Loaded query={query}>
        {({ integrations: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Integrations"
              columns={columnsOf(setOpen)}
              rows={nodes}
              keyOf={({ integrationId }) => integrationId}
              empty={<Empty state={state} />}
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {open?.kind === 'connect' && <ConnectDialog onClose={close} />}
      {open?.kind === 'edit' && <EditDialog integration={open.integration} onClose={close} />}
      {open?.kind === 'tools' && <ToolsDialog integration={open.integration} onClose={close} />}
      {open?.kind === 'sign-in' && <SignInDialog integration={open.integration} onClose={close} />}
      {open?.kind === 'disconnect' && <DisconnectDialog integration={open.integration} onClose={close} />}
    </PageFrame>
  );
}

/** The outcome of a sign-in, after which the browser returns to this page. */
function Outcome() {
  const [outcome, setOutcome] = useFilter('signIn');
  const shown = OUTCOMES[outcome];
  if (!shown) return null;
  const dismiss = (
    <Button small onClick={() => setOutcome('')}>
      Dismiss
    </Button>
  );
  return (
    <Notice tone={shown.isDone ? 'ok' : 'danger'} action={dismiss}>
      {shown.text}
    </Notice>
  );
}

function Empty({ state }: { readonly state: string }) {
  if (state === 'disconnected') return <p>No disconnected integrations.</p>;
  return <p>No integrations yet. Connect an MCP server or an HTTP API to use it in workflows.</p>;
}

function columnsOf(open: (dialog: OpenDialogState) => void): Column<Integration>[] {
  return [
    { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
    { title: 'Type', cell: ({ kind }) => kindName(kind) },
    { title: 'URL', cell: ({ url }) => <span className="wrap-anywhere font-mono text-sm">{url}</span> },
    {
      title: 'Headers',
      cell: ({ headerNames }) =>
        headerNames.length > 0 ? headerNames.join(', ') : <span className="text-muted">–</span>,
    },
    { title: 'Sign-in', cell: (integration) => <SignInBadge {...integration} /> },
    { title: 'Connected', cell: (integration) => <State {...integration} /> },
    {
      title: 'Actions',
      cell: (integration) =>
        integration.connected ? (
          <span className="flex flex-wrap gap-1">
            {integration.kind === 'MCP' && (
              <>
                <Button
                  small
                  aria-label={`Tools of ${integration.name}`}
                  onClick={() => open({ kind: 'tools', integration })}
                >
                  Tools
                </Button>
                <Button
                  small
                  aria-label={`Sign in to ${integration.name}`}
                  onClick={() => open({ kind: 'sign-in', integration })}
                >
                  Sign in
                </Button>
              </>
            )}
            <Button small aria-label={`Edit ${integration.name}`} onClick={() => open({ kind: 'edit', integration })}>
              Edit
            </Button>
            <Button
              small
              look="danger"
              aria-label={`Disconnect ${integration.name}`}
              onClick={() => open({ kind: 'disconnect', integration })}
            >
              Disconnect
            </Button>
          </span>
        ) : (
          <span className="text-muted">–</span>
        ),
    },
  ];
}

function State({ connectedAt, disconnectedAt }: Integration) {
  if (!disconnectedAt) return <Time at={connectedAt} />;
  return (
    <span className="flex flex-wrap items-baseline gap-2">
      <Badge>Disconnected</Badge>
      <Time at={disconnectedAt} />
    </span>
  );
}
