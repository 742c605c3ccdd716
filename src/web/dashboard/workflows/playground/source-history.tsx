import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { BranchContext } from '../../../branches/branch-context.ts';
import { useReplacing } from '../../../branches/use-replacing.ts';
import { BranchNotices } from '../../../timeline/branch-notices.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorBoundary } from '../../../ui/error-boundary.tsx';
import { retried } from '../../../ui/load.ts';
import { errorText, useBranchService } from '../../branches/branch-service.ts';
import { ErrorNotice } from '../../frame/loaded.tsx';
import { useHref } from '../../location.ts';
import { usePermission } from '../../session/session.ts';
import type { SourceConversation, SourceState } from './source-conversation.ts';

const Timeline = lazy(async () => ({
  default: (await retried(() => import('../../../timeline/timeline.tsx'))).Timeline,
}));

interface Props {
  readonly state: SourceState;
  readonly onRemove: () => void;
}

/** The history that a test continues. */
export function SourceHistory({ state: { source, problem }, onRemove }: Props) {
  const href = useHref();
  const remove = (
    <Button small onClick={onRemove}>
      Start without it
    </Button>
  );
  if (problem) return <ErrorNotice error={{ message: problem, code: 'not_found', param: null }} action={remove} />;
  if (!source) return null;
  return (
    <section className="rounded-xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="min-w-0 break-words font-semibold">
          Continues a copy of{' '}
          <Link to={href(`/conversations/${source.id}`)} className="text-accent underline">
            {source.name}
          </Link>
          {source.beginning && ', up to a turn'}
        </h2>
        {remove}
      </div>
      {source.beginning && (
        <p className="mt-1 text-sm text-muted">
          The message field has the text of that turn. Send it to run the turn with the draft.
        </p>
      )}
      <details className="mt-2">
        <summary className="cursor-pointer py-1 text-muted">Show its history</summary>
        <div className="mt-3 max-h-[50dvh] overflow-y-auto">
          {source.hasMore && <p className="mb-3 text-sm text-muted">Older items are not shown.</p>}
          <ErrorBoundary>
            <Suspense fallback={null}>
              <History source={source} />
            </Suspense>
          </ErrorBoundary>
        </div>
      </details>
    </section>
  );
}

/** The items, with a button that forks the stored conversation. */
function History({ source: { id, items } }: { readonly source: SourceConversation }) {
  const canFork = usePermission('conversations:write');
  const replacing = useReplacing(
    useBranchService(id, () => {}),
    { ...ONLY_FORK, canFork },
  );
  return (
    <BranchContext value={replacing.branches}>
      <Timeline items={items} />
      <BranchNotices {...replacing} />
    </BranchContext>
  );
}

const ONLY_FORK = {
  canReplace: false,
  isWaiting: false,
  lastId: undefined,
  lastUserId: undefined,
  variantsOf: () => undefined,
  errorText,
} as const;
