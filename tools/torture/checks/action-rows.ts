import type { ReceivedMessage } from '../../../test/support/receiver.ts';
import { BANK_ACTIONS } from '../bank.ts';
import type { Journal } from '../journal.ts';
import { checkNoRows, type Query } from './query.ts';

interface CallRow {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: { readonly id: string };
  readonly status: string;
  readonly charged: string | null;
  readonly error: string | null;
  /** Its run ended with its process. */
  readonly lost: boolean;
}

/** Actions: the receiver and the timeline agree, and no action runs twice unless it is safe to repeat. */
export async function checkCalls(journal: Journal, send: Query, received: readonly ReceivedMessage[]): Promise<void> {
  const rows = await send<CallRow>(
    `SELECT i.call_id, i.name, i.arguments, i.status::text, i.output->'content'->>'charged' AS charged,
            i.output->>'error' AS error, r.error_code IS NOT DISTINCT FROM 'process_lost' AS lost
     FROM timeline_item i JOIN run r ON r.id = i.run_id WHERE i.kind = 'action' AND i.name = ANY ($1)`,
    [BANK_ACTIONS.map(({ name }) => name)],
  );
  const requests = byKey(received);
  const stored = new Map(rows.map((row) => [row.call_id, row]));
  for (const [key, messages] of requests) checkRequests(journal, messages, stored.get(key));
  for (const row of rows) checkResult(journal, row, requests.get(row.call_id)?.length ?? 0);
  await checkNoRows(
    journal,
    send,
    'a step of a run is stored once',
    `SELECT conversation_id, name, arguments FROM timeline_item WHERE kind = 'action' GROUP BY 1, 2, 3 HAVING count(*) > 1`,
  );
  measure(journal, rows, requests);
}

function byKey(received: readonly ReceivedMessage[]): Map<string, ReceivedMessage[]> {
  const requests = new Map<string, ReceivedMessage[]>();
  for (const message of received) {
    const key = String(message.headers['idempotency-key']);
    requests.set(key, [...(requests.get(key) ?? []), message]);
  }
  return requests;
}

/** All requests with one idempotency key. */
function checkRequests(journal: Journal, messages: readonly ReceivedMessage[], call: CallRow | undefined): void {
  const detail = () => `${JSON.stringify(messages)} of ${JSON.stringify(call)}`;
  const isOfCall = messages.every(({ path, body }) => {
    return path.endsWith(`/${call?.name}`) && JSON.parse(body).id === call?.arguments.id;
  });
  journal.check('the receiver gets only stored calls, each with its own key', isOfCall, detail);
  if (call && !isRetrySafe(call)) {
    journal.check('the receiver gets an unmarked call at most once', messages.length === 1, detail);
  }
}

function checkResult(journal: Journal, call: CallRow, requests: number): void {
  const detail = () => `${requests} requests of ${JSON.stringify(call)}`;
  const isUnknown = call.error?.startsWith('Outcome unknown') ?? false;
  const isAnswered = call.status === 'completed' && requests > 0 && call.charged === call.call_id;
  const isLost = call.lost && call.status === 'failed';
  journal.check('a call has its own response, or its outcome is unknown', isAnswered || isUnknown || isLost, detail);
  if (isUnknown) journal.check('the outcome of a call that is safe to repeat is known', !isRetrySafe(call), detail);
}

function isRetrySafe({ name }: CallRow): boolean {
  return BANK_ACTIONS.some((action) => action.name === name && action.retrySafe);
}

function measure({ measured }: Journal, rows: readonly CallRow[], requests: ReadonlyMap<string, unknown[]>): void {
  const repeated = rows.filter(({ call_id }) => (requests.get(call_id)?.length ?? 0) > 1);
  const unknown = rows.filter(({ error }) => error?.startsWith('Outcome unknown'));
  const reached = unknown.filter(({ call_id }) => requests.has(call_id));
  measured.set('calls of actions', rows.length);
  measured.set('unmarked calls', rows.filter((row) => !isRetrySafe(row)).length);
  measured.set('calls that are safe to repeat and ran again', repeated.length);
  measured.set(
    'unmarked calls with an unknown outcome',
    `${unknown.length}, of which ${reached.length} reached the receiver`,
  );
}
