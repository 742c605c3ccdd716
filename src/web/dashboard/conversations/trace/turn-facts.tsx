import { Link } from 'wouter';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatCount, formatSeconds } from '../../../ui/numbers.ts';
import { Time } from '../../../ui/time.tsx';
import { DeploymentLink, useDeployments } from '../../deployment-names/deployment-names.tsx';
import { Fact, Facts } from '../../frame/expandable.tsx';
import { useHref } from '../../location.ts';
import { useMoney } from '../../money.ts';
import { cacheText } from './cache-text.ts';
import type { Run } from './documents.ts';

/** The measures and the IDs of a turn. */
export function TurnFacts(run: Run) {
  const href = useHref();
  const money = useMoney();
  const deployments = useDeployments();
  const { runId, model, inputTokens, outputTokens, requestId, createdAt, updatedAt, conversation, version, trace } =
    run;
  const cache = cacheText(run, trace?.inputSavings ?? null);
  return (
    <Facts>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      <Fact name="Duration">{formatSeconds((Date.parse(updatedAt) - Date.parse(createdAt)) / 1_000)}</Fact>
      <Fact name="Model">{model}</Fact>
      <Fact name="Tokens">{`${formatCount(inputTokens)} input, ${formatCount(outputTokens)} output`}</Fact>
      {cache && <Fact name="Cache">{cache}</Fact>}
      {trace?.cost && <Fact name="Cost">{money.format(trace.cost)}</Fact>}
      {conversation && (
        <Fact name="Deployment">
          <DeploymentLink {...{ deployments, deploymentId: conversation.deploymentId }} />
        </Fact>
      )}
      {version?.workflow && (
        <Fact name="Version">
          <Link to={href(`/workflows/${version.workflow.workflowId}`)} className="text-accent hover:underline">
            {`${version.workflow.name}, version ${version.number}`}
          </Link>
        </Fact>
      )}
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
