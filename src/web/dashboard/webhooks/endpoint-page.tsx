import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { DELIVERY_STATUSES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useChange, useReading } from '../requests.ts';
import { Fact, Facts } from '../shell/expandable.tsx';
import { FilterSelect } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { OtherFault } from '../shell/other-fault.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { Deliveries, STATUS_OPTIONS } from './deliveries.tsx';
import { ENDPOINT, SEND_TEST } from './documents.ts';
import { DeleteDialog, EditDialog, type Endpoint, RotateDialog, SwitchDialog } from './endpoint-dialogs.tsx';
import { typesInWords } from './endpoint-form.tsx';
import { useLookAgain } from './use-look-again.ts';

/** Deliveries are told by no event: while one is about to be attempted, it is looked after more often. */
const LOOK_MS = { busy: 1_500, idle: 5_000 } as const;
const SOON_MS = 15_000;

type Doing = 'edit' | 'switch' | 'rotate' | 'delete';

type Open = { readonly kind: Doing } | { readonly kind: 'secret'; readonly secret: string };

export function Page() {
  const { endpointId = '' } = useParams();
  const href = useHref();
  const [asked] = useFilter('status');
  const status = DELIVERY_STATUSES.find((one) => one === asked) ?? null;
  const reading = useReading(ENDPOINT, { id: endpointId, status, ...usePosition() });
  const endpoint = reading.data?.webhookEndpoint ?? undefined;
  useLookAgain(reading.again, endpoint?.deliveries.nodes.some(isSoon) ? LOOK_MS.busy : LOOK_MS.idle);
  const [open, setOpen] = useState<Open>();
  return (
    <PageFrame
      title="Webhook endpoint"
      lead={
        <Link to={href('/webhooks')} className="text-accent underline">
          All endpoints
        </Link>
      }
      actions={endpoint && <Actions endpoint={endpoint} open={(kind) => setOpen({ kind } as Open)} />}
    >
      <Loaded reading={reading}>{() => endpoint && <Shown endpoint={endpoint} isNarrowed={status !== null} />}</Loaded>
      {endpoint && <OpenDialog {...{ endpoint, open, setOpen }} />}
    </PageFrame>
  );
}

/** Whether it may be attempted while somebody looks on. */
function isSoon({ status, nextAttemptAt }: Endpoint['deliveries']['nodes'][number]): boolean {
  return status === 'pending' && (!nextAttemptAt || Date.parse(nextAttemptAt) < Date.now() + SOON_MS);
}

interface ActionsProps {
  readonly endpoint: Endpoint;
  readonly open: (doing: Doing) => void;
}

function Actions({ endpoint: { enabled }, open }: ActionsProps) {
  return (
    <>
      <Button onClick={() => open('edit')}>Edit</Button>
      <Button onClick={() => open('switch')}>{enabled ? 'Disable' : 'Enable'}</Button>
      <Button onClick={() => open('rotate')}>Rotate secret</Button>
      <Button look="danger" onClick={() => open('delete')}>
        Delete
      </Button>
    </>
  );
}

function Shown({ endpoint, isNarrowed }: { readonly endpoint: Endpoint; readonly isNarrowed: boolean }) {
  const { endpointId, url, description, eventTypes, enabled, createdAt, deliveries } = endpoint;
  const { make, busy, fault } = useChange(SEND_TEST);
  return (
    <>
      <Section title="Where and what">
        <Facts>
          <Fact name="URL">
            <span className="break-all font-mono text-sm">{url}</span>
          </Fact>
          <Fact name="State">
            <Badge tone={enabled ? 'ok' : 'warn'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
          </Fact>
          <Fact name="Events">{typesInWords(eventTypes)}</Fact>
          <Fact name="Description">{description || <span className="text-muted">None</span>}</Fact>
          <Fact name="Added">
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Section>
      <section aria-label="Deliveries to it" className="flex flex-col gap-4">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <h2 className="text-lg font-semibold">Deliveries</h2>
          <div className="flex flex-wrap items-end gap-3">
            <FilterSelect label="Status" name="status" options={STATUS_OPTIONS} />
            <Button
              busy={busy}
              disabled={!enabled}
              title={enabled ? undefined : 'Nothing is sent to a disabled endpoint.'}
              onClick={() => make({ id: endpointId })}
            >
              Send a test
            </Button>
          </div>
        </div>
        <OtherFault fault={fault} />
        <Deliveries deliveries={deliveries.nodes} isNarrowed={isNarrowed} />
        <Pager pageInfo={deliveries.pageInfo} />
      </section>
    </>
  );
}

interface OpenProps {
  readonly endpoint: Endpoint;
  readonly open: Open | undefined;
  readonly setOpen: (open?: Open) => void;
}

function OpenDialog({ endpoint, open, setOpen }: OpenProps) {
  const onClose = () => setOpen(undefined);
  if (!open) return null;
  if (open.kind === 'edit') return <EditDialog {...{ endpoint, onClose }} />;
  if (open.kind === 'switch') return <SwitchDialog {...{ endpoint, onClose }} />;
  if (open.kind === 'delete') return <DeleteDialog {...{ endpoint, onClose }} />;
  if (!('secret' in open)) {
    return <RotateDialog {...{ endpoint, onClose }} onShow={(secret) => setOpen({ kind: 'secret', secret })} />;
  }
  return (
    <SecretDialog title="The new signing secret" label="Signing secret" secret={open.secret} onDone={onClose}>
      <p>Messages are signed with it from now on, and with the one before it for 24 hours more.</p>
    </SecretDialog>
  );
}
