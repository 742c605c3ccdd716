import { Link } from 'wouter';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { LogsTable } from '../usage/logs-table.tsx';
import { ActiveTurns } from './active-turns.tsx';
import { Charts } from './charts.tsx';
import { Checklist } from './checklist.tsx';
import { LiveBadge, LiveCounters } from './counters.tsx';
import { NEWEST_FAILURES } from './documents.ts';
import { HandOvers } from './hand-overs.tsx';

export function Page() {
  const [conversations, workflows] = [usePermission('conversations:read'), usePermission('workflows:read')];
  return (
    <PageFrame title="Overview" actions={<LiveBadge />}>
      {workflows && <Checklist />}
      <LiveCounters />
      {workflows && <Charts />}
      {conversations && <HandOvers />}
      {conversations && <ActiveTurns />}
      {workflows && <Failures />}
    </PageFrame>
  );
}

function Failures() {
  const href = useHref();
  const query = useServiceQuery(NEWEST_FAILURES, {});
  const all = (
    <Link to={href('/usage', { outcome: 'failed' })} className="text-accent hover:underline">
      All failures
    </Link>
  );
  return (
    <Section title="Latest failures" actions={all}>
      <Loaded query={query}>
        {({ workflowLogs: { nodes } }) => (
          <LogsTable
            label="Latest failures"
            entries={nodes}
            empty="No failed turns. A failed turn appears here with its error."
          />
        )}
      </Loaded>
    </Section>
  );
}
