import type { EndUserIssuer } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';

/** The settings of an environment that decide about apps of end users. */
export type LockedIssuer = Pick<EndUserIssuer, 'issuer' | 'signInClientId' | 'scopeClaim' | 'deploymentIds'>;

/**
 * Locks the issuer of an environment until the end of the transaction. An app is connected, and apps of end users end, only
 * with this lock: so no app outlasts what ends it.
 */
export async function lockIssuer(tx: Transaction, environmentId: string): Promise<LockedIssuer | undefined> {
  const lock = () => tx.$queryRaw<LockedIssuer[]>`
    SELECT issuer, sign_in_client_id AS "signInClientId", scope_claim AS "scopeClaim", deployment_ids AS "deploymentIds"
    FROM end_user_issuer WHERE environment_id = ${environmentId}::uuid FOR NO KEY UPDATE`;
  const [row] = await lock();
  if (row) return row;
  // The row that the statement waited for was replaced: only a later statement sees the new one.
  const [replacement] = await lock();
  return replacement;
}
