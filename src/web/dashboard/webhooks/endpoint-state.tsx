import { Badge, type Tone } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import type { Endpoint } from './endpoint-dialogs.tsx';

type Health = Pick<Endpoint, 'enabled' | 'disabledReason' | 'consecutiveFailures' | 'failingSince' | 'pausedUntil'>;

/** The health of an endpoint in one or two words. */
export function EndpointState({ health }: { readonly health: Health }) {
  const [label, tone] = stateOf(health);
  return <Badge tone={tone}>{label}</Badge>;
}

function stateOf({ enabled, disabledReason, consecutiveFailures, pausedUntil }: Health): readonly [string, Tone] {
  if (!enabled && disabledReason === 'GONE') return ['Disabled: gone', 'danger'];
  if (!enabled) return disabledReason === 'FAILING' ? ['Disabled after failures', 'danger'] : ['Disabled', 'warn'];
  if (pausedUntil) return ['Paused', 'danger'];
  return consecutiveFailures > 0 ? ['Failing', 'warn'] : ['Enabled', 'ok'];
}

/** Explains a failing endpoint and what to do. Renders nothing for a healthy one. */
export function StateDetails({ health }: { readonly health: Health }) {
  const { enabled, disabledReason, consecutiveFailures, failingSince, pausedUntil } = health;
  if (!enabled && disabledReason === 'FAILING') {
    return <p className="text-sm">Every attempt failed for 5 days. Fix the receiver, then enable the endpoint.</p>;
  }
  if (!enabled && disabledReason === 'GONE') {
    return (
      <p className="text-sm">
        The receiver responded with 410 (Gone), so it wants no more messages. Enable the endpoint if that was a mistake,
        or delete it.
      </p>
    );
  }
  if (!enabled || !failingSince) return null;
  return (
    <p className="text-sm">
      {consecutiveFailures === 1 ? 'The last attempt failed' : `The last ${consecutiveFailures} attempts failed`}. The
      first of these failures was <Time at={failingSince} />.{' '}
      {pausedUntil && (
        <>
          The next attempt is <Time at={pausedUntil} /> or later.{' '}
        </>
      )}
      After 5 days of failures the endpoint is disabled.
    </p>
  );
}
