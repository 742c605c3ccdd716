import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatCount } from '../../../ui/numbers.ts';
import { Time } from '../../../ui/time.tsx';
import { nameOf, useDeployments } from '../../deployment-names/deployment-names.tsx';
import { Fact, Facts } from '../../frame/expandable.tsx';
import { useHref } from '../../location.ts';
import { useMoney } from '../../money.ts';
import { cacheText } from './cache-text.ts';
import type { Run } from './documents.ts';
import { durationText } from './duration-text.ts';
import { Fold } from './fold.tsx';

/** The measures of a turn in one line, and its IDs in details that open. */
export function TurnFacts(run: Run) {
  return (
    <div className="flex flex-col gap-3">
      <FactLine {...run} />
      <Fold summary="Details">
        <TurnDetails {...run} />
      </Fold>
    </div>
  );
}

/** A link between other text is underlined, because its color alone does not show it. */
const LINK = 'text-accent underline';

function FactLine({
  model,
  status,
  inputTokens,
  outputTokens,
  createdAt,
  updatedAt,
  conversation,
  version,
  trace,
}: Run) {
  const href = useHref();
  const money = useMoney();
  const deployments = useDeployments();
  const duration = durationText(Date.parse(updatedAt) - Date.parse(createdAt));
  const hasEnded = status !== 'RUNNING' && status !== 'WAITING_FOR_CLIENT_ACTION';
  const facts: readonly [string, ReactNode][] = [
    ['duration', hasEnded ? duration : `${duration} so far`],
    ['model', model],
    ['tokens', `${formatCount(inputTokens)} input + ${formatCount(outputTokens)} output tokens`],
    ['cost', trace?.cost && money.format(trace.cost)],
    [
      'deployment',
      conversation && (
        <Link to={href(`/deployments/${conversation.deploymentId}`)} className={LINK}>
          {nameOf(deployments, conversation.deploymentId)}
        </Link>
      ),
    ],
    [
      'version',
      version?.workflow && (
        <Link to={href(`/workflows/${version.workflow.workflowId}`)} className={LINK}>
          {`${version.workflow.name}, version ${version.number}`}
        </Link>
      ),
    ],
  ];
  return (
    <p className="break-words">
      {facts
        .filter(([, value]) => value)
        .map(([name, value], index) => (
          <Fragment key={name}>
            {index > 0 && ' · '}
            {value}
          </Fragment>
        ))}
    </p>
  );
}

function TurnDetails(run: Run) {
  const { runId, requestId, createdAt, trace } = run;
  const cache = cacheText(run, trace?.inputSavings ?? null);
  return (
    <Facts>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      {cache && <Fact name="Cache">{cache}</Fact>}
      {requestId && <Id name="Request" id={requestId} label="Copy request ID" />}
      <Id name="Turn" id={runId} label="Copy turn ID" />
      {trace && (
        <Fact name="Kept until">
          <Time at={trace.keptUntil} />
        </Fact>
      )}
    </Facts>
  );
}

function Id({ name, id, label }: { readonly name: string; readonly id: string; readonly label: string }) {
  return (
    <Fact name={name}>
      <code className="mr-2 wrap-anywhere font-mono text-sm">{id}</code>
      <CopyButton text={id} label={label} />
    </Fact>
  );
}
