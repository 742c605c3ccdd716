import ipaddr from 'ipaddr.js';
import { sqlIn } from '../../../db/sql.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { PublicContext } from '../../context.ts';
import { addressKey } from '../rate-limits.ts';
import { deviceOf } from './devices.ts';
import { notify } from './notify.ts';

/** The latest sessions of a user that are compared. */
const KNOWN_SESSIONS = 200;

interface Place {
  readonly address: string | null;
  readonly user_agent: string | null;
}

/**
 * Tells the user about a session if no earlier session of theirs had the same network and device. The network is the IPv4
 * address, or the first 64 bits of the IPv6 address. The device is the user agent without version numbers, so an update of
 * the browser is no new device. Call it after the session is stored.
 */
export async function notifySignIn(
  open: Pick<PublicContext, 'services' | 'request' | 'now'>,
  tx: Pick<Transaction, '$queryRaw' | '$executeRaw'>,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string },
): Promise<void> {
  if (!open.services.stores.mail.isOn) return;
  const rows = await sqlIn(tx).rows<Place & { id: string }>`
    SELECT id::text, address, user_agent FROM session WHERE user_id = ${userId}::uuid
    ORDER BY created_at DESC LIMIT ${KNOWN_SESSIONS}`;
  const own = rows.find(({ id }) => id === sessionId);
  if (!own) return;
  if (rows.some((row) => row !== own && placeOf(row) === placeOf(own))) return;
  const address = ipaddr.isValid(own.address ?? '') ? String(own.address) : 'unknown';
  const source = { ...open, caller: { kind: 'anonymous' } } as const;
  const facts = { address, device: deviceOf(own.user_agent) };
  await notify(source, tx, { userIds: [userId], workspaceId: null }, 'sign_in', facts);
}

function placeOf({ address, user_agent: userAgent }: Place): string {
  return `${addressKey(address ?? '')} ${userAgent?.replace(/[\d._]+/g, '') ?? ''}`;
}
