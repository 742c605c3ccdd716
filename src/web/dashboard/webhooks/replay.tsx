import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { FormCheckbox, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { converted, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { REPLAY_PERIOD } from './documents.ts';
import type { Endpoint } from './endpoint-dialogs.tsx';

const instant = converted(
  requiredText('a time', 30).check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'Enter a time.')),
  (text) => new Date(text).toISOString(),
);

const schema = z
  .object({ from: instant, to: instant, onlyFailed: z.boolean() })
  .check(z.refine(({ from, to }) => from <= to, { path: ['to'], message: 'The end must not be before the start.' }));

/** A time in the form of the browser's date and time field, in local time. */
function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Props {
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}

/** Sends the deliveries of a period again. */
export function ReplayDialog({ endpoint: { endpointId }, onClose }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: {
      from: localTime(Date.now() - DAY_MS),
      // The field has no seconds, so the current minute is included.
      to: localTime(Date.now() + MINUTE_MS),
      onlyFailed: true as boolean,
    },
    mutation: REPLAY_PERIOD,
    variables: (period) => ({ input: { id: endpointId, ...period } }),
    onSuccess: onClose,
  });
  const { control } = form;
  return (
    <FormDialog title="Send deliveries again" verb="Send again" {...{ form, onClose }}>
      <FormTextField control={control} name="from" label="From" type="datetime-local" required />
      <FormTextField control={control} name="to" label="To" type="datetime-local" required />
      <FormCheckbox control={control} name="onlyFailed" label="Only failed deliveries" />
      <p className="text-sm text-muted">
        At most {formatCount(LIMITS.webhookReplayDeliveries)} deliveries, in their order and before newer ones. The
        webhook-id stays the same, so receivers can detect duplicates.
      </p>
    </FormDialog>
  );
}

/** How far the latest replay of a period is. */
export function ReplayProgress({ replay }: { readonly replay: NonNullable<Endpoint['latestReplay']> }) {
  const { deliveryCount, pendingCount, deliveredCount, failedCount, createdAt } = replay;
  const isRunning = pendingCount > 0;
  return (
    <div role="status" className="flex flex-col gap-1">
      <span>
        {isRunning ? 'Running' : 'Finished'}: {formatCount(deliveredCount)} of {formatCount(deliveryCount)} delivered
        {failedCount > 0 && `, ${formatCount(failedCount)} failed`}
        {isRunning && `, ${formatCount(pendingCount)} waiting`}
      </span>
      {isRunning && (
        <progress
          aria-label="Progress of the replay"
          className="h-2 w-full max-w-xs"
          max={deliveryCount}
          value={deliveryCount - pendingCount}
        />
      )}
      <span className="text-sm text-muted">
        Requested <Time at={createdAt} />
      </span>
    </div>
  );
}
