import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { APPROVAL_TOOL, RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { approvalOf } from '../../timeline/client-tools.ts';
import { titleOf } from '../../timeline/labels.ts';
import { Time } from '../../ui/time.tsx';
import { DeploymentFilter, DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { FilterSelect, Filters, isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { AnswerDialog } from './answer-dialog.tsx';
import { PENDING_ACTIONS } from './documents.ts';

type Row = ResultOf<typeof PENDING_ACTIONS>['pendingActions']['nodes'][number];

const ANSWERERS = { member: 'Your team', client: 'The client' } as const;

/** The calls that wait for an answer in the environment. */
export function Page() {
  const deployments = useDeployments();
  const [opened, open] = useFilter('open');
  return (
    <PageFrame
      title="Waiting"
      lead="Questions and approvals of assistants that wait for an answer, longest waiting first. Updates live."
    >
      <Filters>
        <DeploymentFilter deployments={deployments} />
        <FilterSelect
          name="answerable"
          label="Who can answer"
          options={[['', 'Everybody'], ...Object.entries(ANSWERERS).map(([side, label]) => [side, label] as const)]}
        />
      </Filters>
      <List deployments={deployments} />
      {isUuid(opened) && <AnswerDialog key={opened} id={opened} onClose={() => open('')} />}
    </PageFrame>
  );
}

function List({ deployments }: { readonly deployments: ReturnType<typeof useDeployments> }) {
  const href = useHref();
  const filter = useWaitingFilter();
  const [, open] = useFilter('open');
  const query = useServiceQuery(PENDING_ACTIONS, { filter, ...usePosition() });
  const columns: Column<Row>[] = [
    {
      title: 'Tool',
      cell: (row) => (
        <button
          type="button"
          className="cursor-pointer text-left font-medium text-accent hover:underline"
          onClick={() => open(row.conversation?.conversationId ?? '')}
        >
          {labelOf(row)}
        </button>
      ),
    },
    { title: 'Waiting since', cell: ({ waitingSince }) => waitingSince && <Time at={waitingSince} /> },
    { title: 'Expires', cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'Never') },
    { title: 'Who can answer', cell: ({ answerableBy }) => sidesOf(answerableBy) },
    {
      title: 'Conversation',
      cell: ({ conversation }) =>
        conversation && (
          <Link to={href(`/conversations/${conversation.conversationId}`)} className="hover:underline">
            {conversation.name}
          </Link>
        ),
    },
    {
      title: 'Deployment',
      cell: ({ conversation }) =>
        conversation && <DeploymentLink {...{ deployments }} deploymentId={conversation.deploymentId} />,
    },
  ];
  return (
    <Loaded query={query}>
      {({ pendingActions: { nodes, pageInfo } }) => (
        <div>
          <Table
            label="Waiting calls"
            columns={columns}
            rows={nodes}
            keyOf={({ callId }) => callId}
            empty={
              Object.keys(filter).length > 0
                ? 'No waiting calls match these filters.'
                : 'Nothing waits. A call appears here when an assistant asks a question or needs an approval.'
            }
          />
          <Pager pageInfo={pageInfo} labels={['Longer waiting', 'Shorter waiting']} />
        </div>
      )}
    </Loaded>
  );
}

function labelOf({ name, arguments: args }: Row): string {
  if (name === RAISE_BUDGET_TOOL) return 'Raise a budget';
  if (name !== APPROVAL_TOOL) return titleOf(name);
  const { tool } = approvalOf(args);
  // The service hides what an approval is about from viewers who cannot answer it.
  return tool === '' ? 'Approve an action' : `Approve “${tool}”`;
}

function sidesOf(sides: Row['answerableBy']): string {
  if (sides.length > 1) return 'The client or your team';
  return sides[0] === 'MEMBER' ? 'Your team' : 'The client';
}

/** The filters in the URL. */
function useWaitingFilter() {
  const [deploymentId] = useFilter('deployment');
  const [side] = useFilter('answerable');
  return {
    ...(isUuid(deploymentId) && { deploymentId }),
    ...(side === 'member' && { answerableBy: 'MEMBER' as const }),
    ...(side === 'client' && { answerableBy: 'CLIENT' as const }),
  };
}
