import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Time } from '../../ui/time.tsx';
import { OutcomeBadge } from '../conversations/run-badge.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { useHref } from '../location.ts';
import { countOf, secondsOf } from '../numbers.ts';
import { type Column, Table } from '../shell/table.tsx';
import type { WORKFLOW_LOGS } from './documents.ts';

type Line = ResultOf<typeof WORKFLOW_LOGS>['workflowLogs']['nodes'][number];

interface Props {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly empty: ReactNode;
  /** Where all lines are of one conversation, they need not say of which. */
  readonly ofOneConversation?: boolean;
}

/** Lines of the workflow log: turns and one-shot runs, what they cost and how they ended. */
export function LogsTable({ label, lines, empty, ofOneConversation = false }: Props) {
  const deployments = useDeployments();
  const columns: Column<Line>[] = [
    { title: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Outcome', cell: (line) => <Outcome {...line} /> },
    ...(ofOneConversation
      ? []
      : [
          {
            title: 'Deployment',
            cell: ({ deploymentId }: Line) =>
              deploymentId ? <DeploymentLink {...{ deployments, deploymentId }} /> : 'Test of a draft',
          },
          { title: 'Conversation', cell: (line: Line) => <ConversationLink {...line} /> },
        ]),
    { title: 'Model', cell: ({ model }) => model },
    { title: 'Tokens in', numeric: true, cell: ({ inputTokens }) => countOf(inputTokens) },
    { title: 'Tokens out', numeric: true, cell: ({ outputTokens }) => countOf(outputTokens) },
    { title: 'Time', numeric: true, cell: ({ responseTime }) => secondsOf(responseTime) },
  ];
  return <Table {...{ label, columns, empty }} rows={lines} keyOf={({ workflowLogId }) => workflowLogId} />;
}

function Outcome({ outcome, errorCode, requestId }: Line) {
  return (
    <span title={`Request ${requestId}`}>
      <OutcomeBadge outcome={outcome} />
      {errorCode && <code className="ml-2 font-mono text-sm text-muted">{errorCode}</code>}
    </span>
  );
}

function ConversationLink({ conversationId, deploymentId }: Line) {
  const href = useHref();
  if (!conversationId) return <span className="text-muted">{deploymentId ? 'None' : '–'}</span>;
  return (
    <Link to={href(`/conversations/${conversationId}`)} className="font-mono text-sm text-accent hover:underline">
      {conversationId.slice(0, 8)}
    </Link>
  );
}
