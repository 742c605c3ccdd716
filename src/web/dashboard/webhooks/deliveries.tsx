import { useState } from 'react';
import { enumNameOf, enumValueIn } from '../../../contract/enum-names.ts';
import { DELIVERY_STATUSES, WEBHOOK_MESSAGE_TYPES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, type Tone } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Expandable, ExpandableList, Fact, Facts } from '../frame/expandable.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { Table } from '../frame/table.tsx';
import { useServiceMutation } from '../requests.ts';
import { REPLAY } from './documents.ts';
import type { Endpoint } from './endpoint-dialogs.tsx';
import { Inspection } from './inspection.tsx';

type Delivery = Endpoint['deliveries']['nodes'][number];

const STATUSES: Readonly<Record<Delivery['status'], readonly [string, Tone]>> = {
  PENDING: ['Pending', 'accent'],
  DELIVERED: ['Delivered', 'ok'],
  FAILED: ['Failed', 'danger'],
};

/** The options of the status filter. */
export const STATUS_OPTIONS = [
  ['', 'All'],
  ...DELIVERY_STATUSES.map((status) => [status, STATUSES[enumNameOf(status)][0]] as const),
] as const;

const typeOf = ({ type }: Delivery) => enumValueIn(WEBHOOK_MESSAGE_TYPES, type);

interface Props {
  readonly deliveries: readonly Delivery[];
  readonly isFiltered: boolean;
}

/** The deliveries to an endpoint, with every attempt. */
export function Deliveries({ deliveries, isFiltered }: Props) {
  if (deliveries.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-line p-8 text-center text-muted">
        {isFiltered
          ? 'No deliveries match this status.'
          : 'No deliveries yet. Send a test event, or wait for the next event.'}
      </p>
    );
  }
  return (
    <ExpandableList label="Deliveries">
      {deliveries.map((delivery) => (
        <DeliveryItem key={delivery.deliveryId} delivery={delivery} />
      ))}
    </ExpandableList>
  );
}

function DeliveryItem({ delivery }: { readonly delivery: Delivery }) {
  const { deliveryId, status, attemptCount, attempts, createdAt } = delivery;
  const [isOpen, setOpen] = useState(false);
  const type = typeOf(delivery);
  const [label, tone] = STATUSES[status];
  return (
    <Expandable
      onToggle={setOpen}
      summary={
        <>
          <span className="min-w-0 flex-1 basis-44 font-mono text-sm">{type}</span>
          <Badge tone={tone}>{label}</Badge>
          <span className="text-sm text-muted md:w-28">
            {attemptCount === 1 ? '1 attempt' : `${attemptCount} attempts`}
          </span>
          <span className="text-sm text-muted md:w-32 md:text-right">
            <Time at={createdAt} />
          </span>
        </>
      }
    >
      <DeliveryFacts delivery={delivery} />
      <Table
        label={`Attempts of ${delivery.messageId}`}
        columns={[
          { title: 'Attempt', cell: ({ startedAt }) => <Time at={startedAt} /> },
          { title: 'Duration', numeric: true, cell: ({ durationMs }) => formatDuration(durationMs) },
          { title: 'Response', numeric: true, cell: ({ responseStatus }) => responseStatus ?? '–' },
          { title: 'Error', cell: ({ error }) => error ?? '–' },
        ]}
        rows={attempts}
        keyOf={({ startedAt }) => startedAt}
        empty={<p>No attempts yet.</p>}
      />
      {isOpen && <Inspection deliveryId={deliveryId} attemptCount={attempts.length} />}
      <Replay delivery={delivery} />
    </Expandable>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const { messageId, status, nextAttemptAt, finishedAt } = delivery;
  return (
    <Facts>
      <Fact name="Message">
        <span className="wrap-anywhere font-mono text-sm">{messageId}</span>
      </Fact>
      {status === 'PENDING' && (
        <Fact name="Next attempt">
          {nextAttemptAt && !isNear(nextAttemptAt) ? <Time at={nextAttemptAt} /> : 'in a moment'}
        </Fact>
      )}
      {finishedAt && (
        <Fact name="Finished">
          <Time at={finishedAt} />
        </Fact>
      )}
    </Facts>
  );
}

/** A time so close that the page shows no countdown. */
const isNear = (at: string) => Date.parse(at) < Date.now() + 45_000;

function formatDuration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function Replay({ delivery }: { readonly delivery: Delivery }) {
  const { deliveryId, status } = delivery;
  const { mutate, busy, error } = useServiceMutation(REPLAY);
  const verb = status === 'PENDING' ? 'Send now' : 'Send again';
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button small busy={busy} aria-label={`${verb}: ${typeOf(delivery)}`} onClick={() => mutate({ id: deliveryId })}>
        {verb}
      </Button>
      <span className="text-sm text-muted">The webhook-id stays the same, so receivers can detect duplicates.</span>
      <ErrorNotice error={error} />
    </div>
  );
}
