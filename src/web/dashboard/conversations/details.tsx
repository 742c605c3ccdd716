import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../ui/copy-button.tsx';
import { enhancement } from '../../ui/load.ts';
import { formatCount } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { Budgets } from '../budgets/budgets.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { RunBadge } from '../frame/run-badge.tsx';
import { useHref } from '../location.ts';
import type { CONVERSATION } from './documents.ts';

type Conversation = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>;

const assigneeField = enhancement(() => import('../handling/assignee-field.tsx'));

/** The properties of a conversation. */
export function Details(conversation: Conversation) {
  const {
    conversationId,
    deploymentId,
    endUser,
    version,
    latestRun: run,
    messageCount,
    createdAt,
    updatedAt,
    completedAt,
  } = conversation;
  const deployments = useDeployments();
  const later = assigneeField.useModule();
  return (
    <aside
      aria-label="Details"
      className="flex flex-col gap-5 rounded-xl border border-line bg-surface p-5 lg:below-header lg:fits-window"
    >
      <dl className="flex flex-col gap-3">
        <Fact name="Deployment">
          <DeploymentLink {...{ deployments, deploymentId }} />
        </Fact>
        {version && <Fact name="Version">{formatCount(version.number)}</Fact>}
        {endUser !== null && <Fact name="End user">{endUser}</Fact>}
        <Fact name="Created">
          <Time at={createdAt} />
        </Fact>
        <Fact name="Latest activity">
          <Time at={updatedAt} />
        </Fact>
        {completedAt && (
          <Fact name="Completed">
            <Time at={completedAt} />
          </Fact>
        )}
        <Fact name="Messages">{formatCount(messageCount)}</Fact>
        {run && (
          <>
            <Fact name="Latest turn">
              <RunBadge {...run} />
            </Fact>
            <Fact name="Model">{run.model}</Fact>
            <Fact name="Input tokens">{formatCount(run.inputTokens)}</Fact>
            <Fact name="Output tokens">{formatCount(run.outputTokens)}</Fact>
          </>
        )}
      </dl>
      {later && <later.AssigneeField id={conversationId} assignee={conversation.assignee} />}
      <ConversationBudgets {...conversation} />
      <Copies {...conversation} />
      <Values title="Labels" values={Object.entries(conversation.meta)} />
      <Values title="Variables" values={conversation.variables.map(({ name, value }) => [name, value])} />
      <div className="flex flex-wrap gap-1">
        <CopyButton text={conversationId} label="Copy conversation ID" />
        {run && <CopyButton text={run.runId} label="Copy turn ID" />}
      </div>
    </aside>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="shrink-0 text-sm text-muted">{name}</dt>
      <dd className="min-w-0 text-right break-words tabular-nums">{children}</dd>
    </div>
  );
}

/** The budgets of the conversation and of its end user. */
function ConversationBudgets({ conversationId, endUser }: Conversation) {
  return (
    <>
      <Budgets title="Budgets" place={{ conversationId }} name="this conversation" empty="No budget." isInPanel />
      {endUser !== null && (
        <Budgets title="End user budgets" place={{ endUser }} name={endUser} empty="No budget." isInPanel />
      )}
    </>
  );
}

/** The conversation that it was copied from, and its copies. */
function Copies({ forkedFrom, forks }: Conversation) {
  return (
    <>
      {forkedFrom && (
        <section>
          <h2 className="mb-2 font-semibold">Forked from</h2>
          <ForkLink {...forkedFrom} />
        </section>
      )}
      {forks.nodes.length > 0 && (
        <section>
          <h2 className="mb-2 font-semibold">Forks</h2>
          <ul className="flex flex-col gap-2">
            {forks.nodes.map((fork) => (
              <li key={fork.conversationId} className="flex flex-col">
                <ForkLink {...fork} />
                <span className="text-sm text-muted">
                  <Time at={fork.createdAt} />
                </span>
              </li>
            ))}
          </ul>
          {forks.pageInfo.hasNextPage && <p className="mt-2 text-sm text-muted">The newest 20 are shown.</p>}
        </section>
      )}
    </>
  );
}

function ForkLink({ conversationId, name }: { readonly conversationId: string; readonly name: string }) {
  const href = useHref();
  return (
    <Link to={href(`/conversations/${conversationId}`)} className="break-words text-accent hover:underline">
      {name}
    </Link>
  );
}

interface ValuesProps {
  readonly title: string;
  /** Names and values. */
  readonly values: readonly (readonly [string, unknown])[];
}

function Values({ title, values }: ValuesProps) {
  if (values.length === 0) return null;
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <dl className="flex flex-col gap-2">
        {values.map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="whitespace-pre-wrap">{String(value)}</span>
          </Fact>
        ))}
      </dl>
    </section>
  );
}
