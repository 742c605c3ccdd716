import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { EVENT_TYPES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Filters, TextFilter } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { useLive } from '../live/live-activity.tsx';
import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { EVENTS } from './documents.ts';
import { EVENT_GROUPS } from './event-groups.ts';
import { EventRow } from './event-row.tsx';

type Events = ResultOf<typeof EVENTS>['events'];

export function Page() {
  const [isPaused, setPaused] = useState(false);
  const { connected } = useLive();
  const actions = (
    <>
      <span role="status" className="self-center">
        <Badge tone={isPaused ? 'warn' : connected ? 'ok' : 'neutral'}>
          {isPaused ? 'Paused' : connected ? 'Updates live' : 'Connecting…'}
        </Badge>
      </span>
      <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        {isPaused ? 'Continue' : 'Pause'}
      </Button>
    </>
  );
  return (
    <PageFrame
      title="Events"
      lead="Changes of resources and integrations, newest first. Select types to see runs. Events never change."
      actions={actions}
    >
      <Filters>
        <TextFilter name="resource" label="Resource, integration or run" placeholder="ID" />
        <TimeFilter name="from" label="From" />
        <TimeFilter name="to" label="To" />
      </Filters>
      <TypeFilter />
      <Log isPaused={isPaused} onContinue={() => setPaused(false)} />
    </PageFrame>
  );
}

interface LogProps {
  readonly isPaused: boolean;
  readonly onContinue: () => void;
}

function Log({ isPaused, onContinue }: LogProps) {
  const filter = useEventFilter();
  const position = usePosition();
  const query = useServiceQuery(EVENTS, { ...filter, ...position });
  const request = JSON.stringify([filter, position]);
  const shown = usePausable(query.data?.events, isPaused, request);
  const hasNewer = isPaused && shown?.nodes[0]?.eventId !== query.data?.events.nodes[0]?.eventId;
  return (
    <Loaded query={query}>
      {() =>
        shown && (
          <div className="flex flex-col gap-3">
            <p role="status">
              {hasNewer && (
                <Button small onClick={onContinue}>
                  Show new events
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
          ? 'No events match these filters.'
          : 'No events yet. They appear here when a resource or an integration changes.'}
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

/** The latest data. While paused, it is the data from before the pause, until the user requests other data. */
function usePausable<Data>(data: Data | undefined, isPaused: boolean, request: string): Data | undefined {
  const [snapshot, setSnapshot] = useState<{ readonly data: Data; readonly request: string }>();
  const isFrozen = isPaused && snapshot?.request === request;
  if (!isFrozen && data !== undefined && (snapshot?.data !== data || snapshot.request !== request)) {
    setSnapshot({ data, request });
  }
  return isFrozen ? snapshot.data : data;
}

/** The filter by types, in the query parameter `types`. */
function TypeFilter() {
  const [selected, setTypes] = useFilter('types');
  const types = selected.split(',');
  const toggle = (type: string) =>
    setTypes(EVENT_TYPES.filter((one) => (one === type ? !types.includes(one) : types.includes(one))).join(','));
  return (
    <div className="flex flex-col gap-3">
      {EVENT_GROUPS.map((group) => (
        <fieldset key={group.title}>
          <legend className="mb-1 text-sm font-medium">{group.title}</legend>
          <div className="flex flex-wrap gap-2">
            {group.types.map((type) => (
              <label
                key={type}
                className="cursor-pointer rounded-full border border-line bg-surface px-3 py-1 text-sm has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  className="sr-only"
                  checked={types.includes(type)}
                  onChange={() => toggle(type)}
                />
                {type}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

/** A date and time in the user's time zone. The URL has it in UTC. */
function TimeFilter({ name, label }: { readonly name: string; readonly label: string }) {
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

/** The filters in the URL. */
function useEventFilter() {
  const [types] = useFilter('types');
  const [resourceId] = useFilter('resource');
  const [from] = useFilter('from');
  const [to] = useFilter('to');
  const known = EVENT_TYPES.filter((type) => types.split(',').includes(type));
  const isTime = (text: string) => !Number.isNaN(Date.parse(text));
  return {
    ...(known.length > 0 && { types: known.map(enumNameOf) }),
    ...(resourceId && { resourceId }),
    ...(isTime(from) && { from: new Date(from).toISOString() }),
    ...(isTime(to) && { to: new Date(to).toISOString() }),
  };
}
