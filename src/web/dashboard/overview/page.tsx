import { Link } from 'wouter';
import { useHref } from '../location.ts';
import { useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { LogsTable } from '../usage/logs-table.tsx';
import { Charts } from './charts.tsx';
import { LiveCounters, LiveSign } from './counters.tsx';
import { NEWEST_FAILURES } from './documents.ts';
import { UnderWay } from './under-way.tsx';

export function Page() {
  const [conversations, workflows] = [useMay('conversations:read'), useMay('workflows:read')];
  return (
    <PageFrame title="Overview" actions={<LiveSign />}>
      <LiveCounters />
      {workflows && <Charts />}
      {conversations && <UnderWay />}
      {workflows && <Failures />}
    </PageFrame>
  );
}

function Failures() {
  const href = useHref();
  const reading = useReading(NEWEST_FAILURES, {});
  const all = (
    <Link to={href('/usage', { outcome: 'failed' })} className="text-accent hover:underline">
      All failures
    </Link>
  );
  return (
    <Section title="Newest failures" actions={all}>
      <Loaded reading={reading}>
        {({ workflowLogs: { nodes } }) => (
          <LogsTable
            label="Newest failures"
            lines={nodes}
            empty="No turn has failed. What fails is listed here with its cause."
          />
        )}
      </Loaded>
    </Section>
  );
}
