import { DELIVERY_STATUSES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, type Tone } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useChange } from '../requests.ts';
import { Expandable, ExpandableList, Fact, Facts } from '../shell/expandable.tsx';
import { OtherFault } from '../shell/other-fault.tsx';
import { Table } from '../shell/table.tsx';
import { REPLAY } from './documents.ts';
import type { Endpoint } from './endpoint-dialogs.tsx';

type Delivery = Endpoint['deliveries']['nodes'][number];

const WORDS: Readonly<Record<Delivery['status'], readonly [string, Tone]>> = {
  pending: ['Pending', 'accent'],
  delivered: ['Delivered', 'ok'],
  failed: ['Failed', 'danger'],
};

/** What the list can be narrowed to. */
export const STATUS_OPTIONS = [
  ['', 'All'],
  ...DELIVERY_STATUSES.map((status) => [status, WORDS[status][0]] as const),
] as const;

interface Props {
  readonly deliveries: readonly Delivery[];
  readonly isNarrowed: boolean;
}

/** What was sent to an endpoint and is to be sent, with every attempt. */
export function Deliveries({ deliveries, isNarrowed }: Props) {
  if (deliveries.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-line p-8 text-center text-muted">
        {isNarrowed
          ? 'No delivery stands there.'
          : 'Nothing has been sent yet. Send a test, or wait until something happens.'}
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
  const { type, status, attemptCount, attempts, createdAt } = delivery;
  const [word, tone] = WORDS[status];
  return (
    <Expandable
      summary={
        <>
          <span className="min-w-0 flex-1 basis-44 font-mono text-sm">{type}</span>
          <Badge tone={tone}>{word}</Badge>
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
          { title: 'Took', numeric: true, cell: ({ durationMs }) => tookOf(durationMs) },
          { title: 'Answer', numeric: true, cell: ({ responseStatus }) => responseStatus ?? 'None' },
          { title: 'Error', cell: ({ error }) => error ?? <span className="text-muted">None</span> },
        ]}
        rows={attempts}
        keyOf={({ startedAt }) => startedAt}
        empty={<p>It has not been attempted yet.</p>}
      />
      <Replay delivery={delivery} />
    </Expandable>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const { messageId, status, nextAttemptAt, finishedAt } = delivery;
  return (
    <Facts>
      <Fact name="Message">
        <span className="break-all font-mono text-sm">{messageId}</span>
      </Fact>
      {status === 'pending' && (
        <Fact name="Next attempt">
          {nextAttemptAt && !isNear(nextAttemptAt) ? <Time at={nextAttemptAt} /> : 'in a moment'}
        </Fact>
      )}
      {finishedAt && (
        <Fact name="Ended">
          <Time at={finishedAt} />
        </Fact>
      )}
    </Facts>
  );
}

/** Nearer than it is worth to count. */
const isNear = (at: string) => Date.parse(at) < Date.now() + 45_000;

function tookOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function Replay({ delivery: { deliveryId, type, status } }: { readonly delivery: Delivery }) {
  const { make, busy, fault } = useChange(REPLAY);
  const verb = status === 'pending' ? 'Send now' : 'Send again';
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button small busy={busy} aria-label={`${verb}: ${type}`} onClick={() => make({ id: deliveryId })}>
        {verb}
      </Button>
      <span className="text-sm text-muted">Under the same webhook-id, by which receivers tell repeats.</span>
      <OtherFault fault={fault} />
    </div>
  );
}
