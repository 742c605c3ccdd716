import { Link, useSearchParams } from 'wouter';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { nameOf, type useDeployments } from '../deployment-names/deployment-names.tsx';
import { useHref } from '../location.ts';
import type { Entry } from './entries.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly deployments: ReturnType<typeof useDeployments>;
  /** The ID of the open conversation. */
  readonly opened: string;
}

/** The conversations that wait, as links that open them next to the list. */
export function InboxList({ entries, deployments, opened }: Props) {
  const hrefOf = useEntryHref();
  return (
    <ul aria-label="Waiting conversations" className="flex flex-col divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.conversationId}>
          <Link
            to={hrefOf(entry.conversationId)}
            aria-current={entry.conversationId === opened ? 'true' : undefined}
            className="flex flex-col gap-0.5 px-3 py-2.5 -outline-offset-2 transition-colors hover:bg-sunken aria-[current]:bg-accent-soft"
          >
            <span className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{entry.name}</span>
              <span className="shrink-0 text-sm text-muted">
                <Time at={entry.since} />
              </span>
            </span>
            <span className="flex flex-wrap items-center gap-x-2 text-sm">
              {entry.isUrgent && <Badge tone="danger">Urgent</Badge>}
              <span className="min-w-0 break-words">{entry.needs.join(', ')}</span>
            </span>
            <span className="truncate text-sm text-muted">
              {[nameOf(deployments, entry.deploymentId), entry.assignee].filter(Boolean).join(' · ')}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Builds the link that opens a conversation in the inbox. The filters stay. */
export function useEntryHref(): (id: string) => string {
  const [params] = useSearchParams();
  const href = useHref();
  return (id) => {
    const { open: _, ...filters } = Object.fromEntries(params);
    return href('/inbox', { ...filters, ...(id && { open: id }) });
  };
}
