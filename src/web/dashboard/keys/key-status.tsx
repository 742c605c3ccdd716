import type { ReactNode } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import type { ApiKey } from './documents.ts';

/** Whether a key works, what restricts it, and whether anything still needs it. */
export function KeyStatus(apiKey: ApiKey) {
  const { revokedAt, rotatedAt, expiresAt, isUnused, previousSecretExpiresAt } = apiKey;
  const isExpired = !revokedAt && expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const state = revokedAt ? 'Revoked' : isExpired ? 'Expired' : 'Active';
  return (
    <span className="flex flex-col items-end gap-1 md:items-start">
      <Badge tone={state === 'Active' ? 'ok' : 'neutral'}>{state}</Badge>
      {isUnused && <Badge tone="warn">Unused for {LIMITS.unusedKeyDays} days</Badge>}
      {revokedAt && <Fact at={revokedAt} />}
      {!revokedAt && rotatedAt && <Fact at={rotatedAt}>rotated</Fact>}
      {previousSecretExpiresAt && <Fact at={previousSecretExpiresAt}>previous secret until</Fact>}
      {!revokedAt && expiresAt && <Fact at={expiresAt}>{isExpired ? 'expired' : 'expires'}</Fact>}
      <Restrictions {...apiKey} />
    </span>
  );
}

function Fact({ at, children }: { readonly at: string; readonly children?: ReactNode }) {
  return (
    <span className="text-sm text-muted">
      {children} <Time at={at} />
    </span>
  );
}

function Restrictions({ allowedIpRanges, deploymentIds }: ApiKey) {
  const facts = [
    allowedIpRanges.length > 0 && counted(allowedIpRanges.length, 'IP range'),
    deploymentIds.length > 0 && counted(deploymentIds.length, 'deployment'),
  ].filter(Boolean);
  return facts.length > 0 && <span className="text-sm text-muted">only {facts.join(', ')}</span>;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
