import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { OutcomeBadge } from '../frame/run-badge.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useHref } from '../location.ts';
import { useMoney } from '../money.ts';
import type { WORKFLOW_LOGS } from './documents.ts';

type Stored = ResultOf<typeof WORKFLOW_LOGS>['workflowLogs']['nodes'][number];

/** An entry. The name of its conversation is missing if the conversation was deleted, or if all entries share it. */
type Entry = Omit<Stored, 'conversation'> & Partial<Pick<Stored, 'conversation'>>;

interface Props {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly empty: ReactNode;
  /** Hides the columns for the deployment and the conversation, if all entries share them. */
  readonly ofOneConversation?: boolean;
}

/** Entries of the workflow log: turns and one-shot runs with their outcome, tokens and duration. */
export function LogsTable({ label, entries, empty, ofOneConversation = false }: Props) {
  const deployments = useDeployments();
  const money = useMoney();
  const columns: Column<Entry>[] = [
    { title: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Outcome', cell: (entry) => <Outcome {...entry} /> },
    ...(ofOneConversation
      ? []
      : [
          {
            title: 'Deployment',
            cell: ({ deploymentId }: Entry) =>
              deploymentId ? <DeploymentLink {...{ deployments, deploymentId }} /> : 'Draft test',
          },
          { title: 'Conversation', cell: (entry: Entry) => <ConversationLink {...entry} /> },
        ]),
    { title: 'Model', cell: ({ model }) => model },
    { title: 'Input tokens', numeric: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
    { title: 'Cached tokens', numeric: true, cell: ({ cachedInputTokens }) => formatCount(cachedInputTokens) },
    { title: 'Output tokens', numeric: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
    { title: 'Cost', numeric: true, cell: ({ cost }) => money.format(cost) },
    { title: 'Duration', numeric: true, cell: ({ responseTime }) => formatSeconds(responseTime) },
  ];
  return <Table {...{ label, columns, empty }} rows={entries} keyOf={({ workflowLogId }) => workflowLogId} />;
}

function Outcome({ outcome, errorCode, requestId }: Entry) {
  return (
    <span title={`Request ${requestId}`}>
      <OutcomeBadge {...{ outcome, errorCode }} />
    </span>
  );
}

function ConversationLink({ conversationId, conversation }: Entry) {
  const href = useHref();
  if (!conversationId) return <span className="text-muted">–</span>;
  return (
    <Link
      to={href(`/conversations/${conversationId}`)}
      title={conversation?.name}
      className="text-accent hover:underline md:inline-block md:max-w-52 md:truncate md:align-bottom"
    >
      {conversation?.name ?? <span className="font-mono text-sm">{conversationId.slice(0, 8)}</span>}
    </Link>
  );
}
