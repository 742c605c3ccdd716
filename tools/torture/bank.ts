import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { Random } from './random.ts';

/** How long the receiver takes to respond, in milliseconds. So kills hit actions that run. */
const RESPONSE_MS = [10, 900] as const;

const CHARGE = {
  method: 'POST',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  timeoutSeconds: 60,
} as const;

/** An action that must not run twice, and one that is safe to repeat. */
export const BANK_ACTIONS = [
  { ...CHARGE, name: 'charge', retrySafe: false },
  { ...CHARGE, name: 'charge_again', retrySafe: true },
] as const;

/** The actions of a workflow. Without an integration, which would be an event before the first one of the lanes. */
export function bankActions({ url }: Receiver): object[] {
  return BANK_ACTIONS.map((action) => ({ ...action, url: `${url}/${action.name}` }));
}

/** Starts the receiver of actions. It records each request, and its response contains the idempotency key. */
export async function startBank(seed: number): Promise<Receiver> {
  const bank = await startReceiver();
  bank.respondWith((response, { headers, body }) => {
    const charged = headers['idempotency-key'];
    const respond = () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ charged }));
    setTimeout(respond, new Random(seed, body).between(...RESPONSE_MS));
  });
  return bank;
}
