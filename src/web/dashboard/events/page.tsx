import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { EVENT_TYPES } from '../../../contract/events.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge } from '../../ui/notice.tsx';
import { useLive } from '../live/live-activity.tsx';
import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { Filters, TextFilter } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { EVENTS } from './documents.ts';
import { EventRow } from './event-row.tsx';

type Events = ResultOf<typeof EVENTS>['events'];

export function Page() {
  const [isPaused, pause] = useState(false);
  const { connected } = useLive();
  const actions = (
    <>
      <span role="status" className="self-center">
        <Badge tone={isPaused ? 'warn' : connected ? 'ok' : 'neutral'}>
          {isPaused ? 'Paused' : connected ? 'Up to date' : 'Connecting…'}
        </Badge>
      </span>
      <Button aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
        {isPaused ? 'Go on' : 'Pause'}
      </Button>
    </>
  );
  return (
    <PageFrame
      title="Events"
      lead="What the platform wrote down, newest first. Nothing of it is ever changed."
      actions={actions}
    >
      <Filters>
        <TextFilter name="resource" label="Resource or integration" placeholder="Its id" />
        <MomentFilter name="from" label="From" />
        <MomentFilter name="to" label="Before" />
      </Filters>
      <TypeFilter />
      <Log isPaused={isPaused} onGoOn={() => pause(false)} />
    </PageFrame>
  );
}

interface LogProps {
  readonly isPaused: boolean;
  readonly onGoOn: () => void;
}

function Log({ isPaused, onGoOn }: LogProps) {
  const filter = useEventFilter();
  const position = usePosition();
  const reading = useReading(EVENTS, { ...filter, ...position });
  const asked = JSON.stringify([filter, position]);
  const shown = usePausable(reading.data?.events, isPaused, asked);
  const isBehind = isPaused && shown?.nodes[0]?.eventId !== reading.data?.events.nodes[0]?.eventId;
  return (
    <Loaded reading={reading}>
      {() =>
        shown && (
          <div className="flex flex-col gap-3">
            <p role="status">
              {isBehind && (
                <Button small onClick={onGoOn}>
                  There are new events: show them
                </Button>
              )}
            </p>
            <EventList events={shown} isFiltered={Object.keys(filter).length > 0} />
            <Pager pageInfo={shown.pageInfo} />
          </div>
        )
      }
    </Loaded>
  );
}

function EventList({ events: { nodes }, isFiltered }: { readonly events: Events; readonly isFiltered: boolean }) {
  if (nodes.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-line p-8 text-center text-muted">
        {isFiltered
          ? 'No event is like that.'
          : 'Nothing has happened yet. Changes of resources and integrations are written down here as they are made.'}
      </p>
    );
  }
  return (
    <ol aria-label="Events" className="flex flex-col gap-2">
      {nodes.map((event) => (
        <li key={event.eventId}>
          <EventRow {...event} />
        </li>
      ))}
    </ol>
  );
}

/** What was read last; while it is paused, what was shown then, until something else is asked for. */
function usePausable<Data>(data: Data | undefined, isPaused: boolean, asked: string): Data | undefined {
  const [kept, keep] = useState<{ readonly data: Data; readonly asked: string }>();
  const isKept = isPaused && kept?.asked === asked;
  if (!isKept && data !== undefined && (kept?.data !== data || kept.asked !== asked)) keep({ data, asked });
  return isKept ? kept.data : data;
}

/** Any of several types, in the address's `types`. */
function TypeFilter() {
  const [chosen, choose] = useFilter('types');
  const types = chosen.split(',');
  const toggle = (type: string) =>
    choose(EVENT_TYPES.filter((one) => (one === type ? !types.includes(one) : types.includes(one))).join(','));
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Types</legend>
      <div className="flex flex-wrap gap-2">
        {EVENT_TYPES.map((type) => (
          <label
            key={type}
            className="cursor-pointer rounded-full border border-line bg-surface px-3 py-1 text-sm has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input type="checkbox" className="sr-only" checked={types.includes(type)} onChange={() => toggle(type)} />
            {type}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A moment in the reader's own time; the address has it in UTC. */
function MomentFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value, set] = useFilter(name);
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={localOf(value)}
      onChange={(event) => set(event.target.value ? new Date(event.target.value).toISOString() : '')}
    />
  );
}

function localOf(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What the address says of which events are listed. */
function useEventFilter() {
  const [types] = useFilter('types');
  const [resourceId] = useFilter('resource');
  const [from] = useFilter('from');
  const [to] = useFilter('to');
  const known = EVENT_TYPES.filter((type) => types.split(',').includes(type));
  const isMoment = (text: string) => !Number.isNaN(Date.parse(text));
  return {
    ...(known.length > 0 && { types: known }),
    ...(resourceId && { resourceId }),
    ...(isMoment(from) && { from: new Date(from).toISOString() }),
    ...(isMoment(to) && { to: new Date(to).toISOString() }),
  };
}
