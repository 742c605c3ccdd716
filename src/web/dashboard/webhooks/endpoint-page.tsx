import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { DELIVERY_STATUSES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { Fact, Facts } from '../frame/expandable.tsx';
import { FilterSelect } from '../frame/filters.tsx';
import { ErrorNotice, Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { SecretDialog } from '../frame/secret-dialog.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { Deliveries, STATUS_OPTIONS } from './deliveries.tsx';
import { ENDPOINT, SEND_TEST } from './documents.ts';
import { DeleteDialog, EditDialog, type Endpoint, RotateDialog, SwitchDialog } from './endpoint-dialogs.tsx';
import { formatEventTypes } from './endpoint-form.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { EndpointState, StateDetails } from './endpoint-state.tsx';
import { ReplayDialog, ReplayProgress } from './replay.tsx';
import { usePolling } from './use-polling.ts';

/** No event announces deliveries, so the page polls. It polls faster if an attempt is due soon. */
const POLL_MS = { busy: 1_500, idle: 5_000 } as const;
const SOON_MS = 15_000;

type Action = 'edit' | 'switch' | 'rotate' | 'delete' | 'replay';

type OpenDialogState = { readonly kind: Action } | { readonly kind: 'secret'; readonly secret: string };

export function Page() {
  const { endpointId = '' } = useParams();
  const href = useHref();
  const [requested] = useFilter('status');
  const status = DELIVERY_STATUSES.find((one) => one === requested) ?? null;
  const query = useServiceQuery(ENDPOINT, { id: endpointId, status: status && enumNameOf(status), ...usePosition() });
  const endpoint = query.data?.webhookEndpoint ?? undefined;
  const isBusy = endpoint && (endpoint.latestReplay?.pendingCount || endpoint.deliveries.nodes.some(isSoon));
  usePolling(query.refetch, isBusy ? POLL_MS.busy : POLL_MS.idle);
  const [open, setOpen] = useState<OpenDialogState>();
  if (query.data?.webhookEndpoint === null && !query.error) {
    return (
      <NotFound title="Webhook endpoint not found" to="/webhooks" list="All endpoints">
        It may have been deleted, or it belongs to the other environment.
      </NotFound>
    );
  }
  return (
    <PageFrame
      title="Webhook endpoint"
      lead={
        <Link to={href('/webhooks')} className="text-accent underline">
          All endpoints
        </Link>
      }
      actions={endpoint && <Actions endpoint={endpoint} open={(kind) => setOpen({ kind } as OpenDialogState)} />}
    >
      <Loaded query={query}>
        {() => endpoint && <EndpointDetails endpoint={endpoint} isFiltered={status !== null} />}
      </Loaded>
      {endpoint && <OpenDialog {...{ endpoint, open, setOpen }} />}
    </PageFrame>
  );
}

/** Whether the next attempt is due soon. */
function isSoon({ status, nextAttemptAt }: Endpoint['deliveries']['nodes'][number]): boolean {
  return status === 'PENDING' && (!nextAttemptAt || Date.parse(nextAttemptAt) < Date.now() + SOON_MS);
}

interface ActionsProps {
  readonly endpoint: Endpoint;
  readonly open: (action: Action) => void;
}

function Actions({ endpoint: { enabled }, open }: ActionsProps) {
  return (
    <>
      <Button
        disabled={!enabled}
        title={enabled ? undefined : 'Enable the endpoint to send deliveries again.'}
        onClick={() => open('replay')}
      >
        Replay
      </Button>
      <Button onClick={() => open('edit')}>Edit</Button>
      <Button onClick={() => open('switch')}>{enabled ? 'Disable' : 'Enable'}</Button>
      <Button onClick={() => open('rotate')}>Rotate secret</Button>
      <Button look="danger" onClick={() => open('delete')}>
        Delete
      </Button>
    </>
  );
}

interface DetailsProps {
  readonly endpoint: Endpoint;
  readonly isFiltered: boolean;
}

function EndpointDetails({ endpoint, isFiltered }: DetailsProps) {
  const { endpointId, url, description, eventTypes, enabled, createdAt, deliveries, health, latestReplay } = endpoint;
  const { mutate, busy, error } = useServiceMutation(SEND_TEST);
  return (
    <>
      <Section title="Details">
        <Facts>
          <Fact name="URL">
            <span className="wrap-anywhere font-mono text-sm">{url}</span>
          </Fact>
          <Fact name="Status">
            <div className="flex flex-col items-start gap-1">
              <EndpointState health={endpoint} />
              <StateDetails health={endpoint} />
            </div>
          </Fact>
          <Fact name="Last 24 hours">
            <EndpointHealth health={health} />
          </Fact>
          {latestReplay && (
            <Fact name="Latest replay">
              <ReplayProgress replay={latestReplay} />
            </Fact>
          )}
          <Fact name="Events">{formatEventTypes(eventTypes)}</Fact>
          <Fact name="Description">{description || <span className="text-muted">–</span>}</Fact>
          <Fact name="Added">
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Section>
      <section aria-label="Deliveries" className="flex flex-col gap-4">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <h2 className="text-lg font-semibold">Deliveries</h2>
          <div className="flex flex-wrap items-end gap-3">
            <FilterSelect label="Status" name="status" options={STATUS_OPTIONS} className="w-36" />
            <Button
              busy={busy}
              disabled={!enabled}
              title={enabled ? undefined : 'Enable the endpoint to send a test event.'}
              onClick={() => mutate({ id: endpointId })}
            >
              Send test event
            </Button>
          </div>
        </div>
        <ErrorNotice error={error} />
        <Deliveries deliveries={deliveries.nodes} isFiltered={isFiltered} />
        <Pager pageInfo={deliveries.pageInfo} />
      </section>
    </>
  );
}

interface OpenProps {
  readonly endpoint: Endpoint;
  readonly open: OpenDialogState | undefined;
  readonly setOpen: (open?: OpenDialogState) => void;
}

function OpenDialog({ endpoint, open, setOpen }: OpenProps) {
  const onClose = () => setOpen(undefined);
  if (!open) return null;
  if (open.kind === 'edit') return <EditDialog {...{ endpoint, onClose }} />;
  if (open.kind === 'switch') return <SwitchDialog {...{ endpoint, onClose }} />;
  if (open.kind === 'replay') return <ReplayDialog {...{ endpoint, onClose }} />;
  if (open.kind === 'delete') return <DeleteDialog {...{ endpoint, onClose }} />;
  if (!('secret' in open)) {
    return <RotateDialog {...{ endpoint, onClose }} onSecret={(secret) => setOpen({ kind: 'secret', secret })} />;
  }
  return (
    <SecretDialog title="New signing secret" label="Signing secret" secret={open.secret} onDone={onClose}>
      <p>
        Messages are now signed with this secret. For {LIMITS.webhookSecretHours} hours they are also signed with the
        previous one.
      </p>
    </SecretDialog>
  );
}
