import type { ResultOf } from 'gql.tada';
import { useEffect } from 'react';
import { texts } from '../../texts/current.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useServiceQuery } from '../requests.ts';
import { DELIVERY } from './documents.ts';

type Inspected = NonNullable<ResultOf<typeof DELIVERY>['webhookDelivery']>;
type Attempt = Inspected['attempts'][number];
type Header = Attempt['requestHeaders'][number];

interface Props {
  readonly deliveryId: string;
  /** The number of finished attempts. A new one loads the delivery again. */
  readonly attemptCount: number;
}

/** What a delivery sent and received: its payload, and the head and the start of the body of each response. */
export function Inspection({ deliveryId, attemptCount }: Props) {
  const query = useServiceQuery(DELIVERY, { id: deliveryId });
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again after each attempt
  useEffect(() => refetch(), [attemptCount, refetch]);
  return (
    <Loaded query={query}>
      {({ webhookDelivery }) =>
        webhookDelivery && (
          <div className="flex min-w-0 flex-col gap-4">
            {webhookDelivery.payload === null ? (
              <p className="text-muted">You need the scope conversations:read to see this payload.</p>
            ) : (
              <TextView label="Payload" text={webhookDelivery.payload} />
            )}
            {webhookDelivery.attempts.toReversed().map((attempt, index) => (
              <AttemptDetails
                key={attempt.id}
                attempt={attempt}
                number={webhookDelivery.attempts.length - index}
                isOpen={index === 0}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

interface AttemptProps {
  readonly attempt: Attempt;
  readonly number: number;
  readonly isOpen: boolean;
}

function AttemptDetails({ attempt, number, isOpen }: AttemptProps) {
  const { startedAt, responseStatus, error, requestHeaders, response } = attempt;
  return (
    <details open={isOpen} className="rounded-lg border border-line bg-surface">
      <summary className="cursor-pointer px-3 py-2 font-medium">
        Attempt {number}, <Time at={startedAt} />: {responseStatus === null ? error : `response ${responseStatus}`}
      </summary>
      <div className="flex flex-col gap-3 border-t border-line p-3">
        <TextView label={`Request headers of attempt ${number}`} text={textOf(requestHeaders)} />
        {response ? (
          <>
            <TextView label={`Response headers of attempt ${number}`} text={textOf(response.headers)} />
            <TextView label={`Response body of attempt ${number}`} text={response.body} />
            {response.isBodyTruncated && (
              <p className="text-sm text-muted">The body is longer. Only its start is stored.</p>
            )}
          </>
        ) : (
          <p className="text-muted">No response is stored.</p>
        )}
      </div>
    </details>
  );
}

const textOf = (headers: readonly Header[]) => headers.map(({ name, value }) => `${name}: ${value}`).join('\n');

/** A text exactly like the sent one, with a button that copies it. */
function TextView({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line pl-3">
        <span className="text-sm font-medium">{label}</span>
        <CopyButton text={text} label={texts().ui.copyNamed(label)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre tabIndex={0} className="max-h-80 overflow-auto p-3 font-mono text-sm whitespace-pre-wrap break-all">
        {text || <span className="text-muted">Empty</span>}
      </pre>
    </div>
  );
}
