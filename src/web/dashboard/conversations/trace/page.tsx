import { lazy, Suspense } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorBoundary } from '../../../ui/error-boundary.tsx';
import { retried } from '../../../ui/load.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { isUuid } from '../../frame/filters.tsx';
import { Loaded } from '../../frame/loaded.tsx';
import { NotFound } from '../../frame/not-found.tsx';
import { PageFrame, Section } from '../../frame/page-frame.tsx';
import { RunBadge } from '../../frame/run-badge.tsx';
import { useFilter, useHref } from '../../location.ts';
import { Pager, usePosition } from '../../paging.tsx';
import { useServiceQuery } from '../../requests.ts';
import { TurnWithDraftLink } from '../../workflows/playground/open-in-playground.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { type Run, TRACE } from './documents.ts';
import { Fold } from './fold.tsx';
import { Spans } from './spans.tsx';
import { TurnFacts } from './turn-facts.tsx';

const Comparison = lazy(async () => ({
  default: (await retried(() => import('./compare/comparison.tsx'))).Comparison,
}));

/** Spans of a page: most turns have fewer. */
const PAGE_SIZE = 100;

export function Page() {
  const { conversationId = '', runId = '' } = useParams();
  if (!isUuid(conversationId) || !isUuid(runId)) return <PageMissing />;
  return <Trace key={runId} {...{ conversationId, runId }} />;
}

interface Ids {
  readonly conversationId: string;
  readonly runId: string;
}

function Trace({ conversationId, runId }: Ids) {
  const href = useHref();
  const query = useServiceQuery(TRACE, { id: runId, ...usePosition(PAGE_SIZE) });
  const run = query.data?.run;
  const isElsewhere = run?.conversation && run.conversation.conversationId !== conversationId.toLowerCase();
  if ((run === null && !query.error) || isElsewhere) return <PageMissing />;
  const back = (
    <span className="flex flex-wrap items-center gap-3">
      <Link to={href(`/conversations/${conversationId}`)} className="text-accent hover:underline">
        {run?.conversation?.name ?? 'Conversation'}
      </Link>
      {run && <RunBadge status={run.status} />}
      {run && <TurnWithDraftLink {...{ conversationId, runId }} workflowId={run.version?.workflow?.workflowId} />}
    </span>
  );
  const actions = run && (
    <>
      <CopyButton text={location.href} label="Copy link" />
      <CopyButton text={JSON.stringify(run, null, 2)} label="Copy as JSON" />
    </>
  );
  return (
    <PageFrame title="Trace of a turn" lead={back} actions={actions}>
      <Loaded query={query}>{() => run && <Content {...run} />}</Loaded>
    </PageFrame>
  );
}

function Content(run: Run) {
  const { failure, requestId, trace } = run;
  const [other, setOther] = useFilter('compare');
  return (
    <>
      {failure && <FailureNotice {...{ failure, requestId }} />}
      <TurnFacts {...run} />
      {other && (
        <Section
          title="Comparison"
          actions={
            <Button small onClick={() => setOther('')}>
              Stop comparing
            </Button>
          }
        >
          <Compare {...{ run, other }} />
        </Section>
      )}
      {trace ? (
        <Section title="Steps">
          <Spans {...{ run, trace }} />
          <Pager pageInfo={trace.spans.pageInfo} labels={['Earlier steps', 'Later steps']} />
        </Section>
      ) : (
        <Notice>
          The steps of this turn are no longer kept. Set under Limits and retention how long traces are kept.
        </Notice>
      )}
      {!other && (
        <Fold summary="Compare with another turn">
          <Compare run={run} other="" />
        </Fold>
      )}
    </>
  );
}

function Compare(props: { readonly run: Run; readonly other: string }) {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Skeleton rows={2} />}>
        <Comparison {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}

function PageMissing() {
  return (
    <NotFound title="Turn not found" to="/conversations" list="All conversations">
      Its conversation may have been deleted, or it belongs to the other environment.
    </NotFound>
  );
}
