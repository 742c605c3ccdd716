import { type EnumName, enumNameOf, enumValueIn } from '../../contract/enum-names.ts';
import { EVENT_TYPES, type EventType } from '../../contract/statuses.ts';
import type { JsonObject } from '../history.ts';
import { sendJson } from '../http.ts';
import type { ClientOptions, Settings } from '../options.ts';
import { anyOf } from '../pause.ts';
import { followSubscription } from '../subscription.ts';
import { itemsOf } from './pages.ts';

/** An entry of the event log. It never changes. */
export interface ServiceEvent {
  /** `evt_` and 26 characters. Messages of webhooks have it as `webhook-id`. */
  readonly id: string;
  readonly type: EventType;
  /** The resource, integration, run, conversation or trigger. It can be deleted by now. */
  readonly resourceId: string;
  readonly payload: JsonObject;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
}

/** An event and the cursor to continue after it. */
export interface FollowedEvent {
  readonly event: ServiceEvent;
  /** Store it, and pass it as `after` to continue after a restart. */
  readonly cursor: string;
}

interface EventFilter {
  /** Only events of this resource, integration, run, conversation or trigger. */
  readonly resourceId?: string | undefined;
  /** Only events of this type. Default: all types of resources and integrations. */
  readonly type?: EventType | undefined;
  /** Aborts the call or ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link EventsApi.list}. */
export interface ListEventsOptions extends EventFilter {
  /** Events per request, 1 to 100. Default: 20. */
  readonly pageSize?: number | undefined;
}

/** Options of {@link EventsApi.follow}. */
export interface FollowEventsOptions extends EventFilter {
  /** The cursor of the last processed event. Default: start with new events. */
  readonly after?: string | undefined;
}

/** Reads and follows the event log. */
export interface EventsApi {
  /** @throws {ParleyError} 404 `not_found` */
  get(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<ServiceEvent>;
  /** All events, newest first, with a request per page. Leave the loop to stop. */
  list(options?: ListEventsOptions): AsyncIterableIterator<ServiceEvent>;
  /**
   * Each event once, in the order of the log, as it happens. It reconnects after a lost connection, and continues after
   * the last event. Leave the loop or abort `signal` to stop.
   *
   * @example
   * for await (const { event, cursor } of server.events.follow({ after: await load() })) {
   *   await handle(event);
   *   await save(cursor);
   * }
   * @throws {ParleyError} 401 `unauthorized`, 403 `forbidden`
   */
  follow(options?: FollowEventsOptions): AsyncIterableIterator<FollowedEvent>;
}

interface WireEvent {
  readonly id: string;
  readonly type: EventType;
  readonly resource_id: string;
  readonly payload: JsonObject;
  readonly occurred_at: string;
}

interface Appended {
  readonly eventAppended: {
    readonly cursor: string;
    readonly event: Omit<ServiceEvent, 'type' | 'payload'> & {
      readonly type: EnumName<EventType>;
      readonly payload: { readonly json: JsonObject };
    };
  };
}

/** A slower loop gets the next events with a new connection, so they do not fill the memory. */
const MOST_WAITING = 256;

const QUERY = `subscription ($after: String, $filter: AppendedEventFilter) { eventAppended(after: $after, filter: $filter) {
  cursor event { id: eventId type resourceId payload { json } occurredAt } } }`;

export function createEventsApi(settings: Settings, options: Pick<ClientOptions, 'credentials'>): EventsApi {
  return {
    async get(id, { signal } = {}) {
      const path = `/v1/events/${encodeURIComponent(id)}`;
      return fromWire((await sendJson<{ data: WireEvent }>(settings, { method: 'GET', path, signal })).data);
    },
    list: ({ resourceId, type, pageSize, signal } = {}) =>
      itemsOf(settings, { path: '/v1/events', query: { resourceId, type, limit: pageSize }, signal }, fromWire),
    follow: (filter = {}) => follow({ ...settings, credentials: options.credentials ?? settings.credentials }, filter),
  };
}

async function* follow(
  settings: Settings,
  { after: first, resourceId, type, signal }: FollowEventsOptions,
): AsyncGenerator<FollowedEvent, void> {
  const { baseUrl, fetch, credentials, headers } = settings;
  const filter = { resourceId, ...(type && { types: [enumNameOf(type)] }) };
  const waiting: FollowedEvent[] = [];
  let after = first;
  while (!signal?.aborted) {
    const full = new AbortController();
    const { signal: either, release } = anyOf(signal, full.signal);
    let wake = () => {};
    const connection = followSubscription<Appended>({
      ...{ baseUrl, fetch, credentials, headers, query: QUERY, variables: { filter }, after, signal: either },
      onEvent({ eventAppended: { cursor, event } }) {
        const type = enumValueIn<EventType>(EVENT_TYPES, event.type);
        waiting.push({ event: { ...event, type, payload: event.payload.json }, cursor });
        after = cursor;
        if (waiting.length >= MOST_WAITING) full.abort();
        wake();
        return cursor;
      },
    });
    const ended = connection.then(
      () => true,
      () => true,
    );
    try {
      for (let hasEnded = false; !hasEnded; ) {
        const news = new Promise<false>((resolve) => {
          wake = () => resolve(false);
        });
        for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
        hasEnded = await Promise.race([ended, news]);
      }
      for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
      await connection;
    } finally {
      full.abort();
      release();
    }
  }
}

function fromWire({ id, type, resource_id: resourceId, payload, occurred_at: occurredAt }: WireEvent): ServiceEvent {
  return { id, type, resourceId, payload, occurredAt };
}
