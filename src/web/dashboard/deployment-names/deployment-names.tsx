import { Link } from 'wouter';
import { SelectField } from '../../ui/field.tsx';
import { useFilter, useHref } from '../location.ts';
import { useReading } from '../requests.ts';
import { DEPLOYMENT_NAMES } from './documents.ts';

interface Named {
  readonly deploymentId: string;
  readonly name: string;
  readonly kind: 'agent' | 'chat';
  readonly hostedPage: boolean;
  readonly publishedVersion: number | null;
}

const NONE: readonly Named[] = [];

/** The workspace's newest deployments, for pages that speak of them by id. */
export function useDeployments(): readonly Named[] {
  return useReading(DEPLOYMENT_NAMES, {}).data?.deployments.nodes ?? NONE;
}

/** What a deployment is called; the beginning of its id as long as that is not known. */
export function nameOf(deployments: readonly Named[], deploymentId: string): string {
  const found = deployments.find((one) => one.deploymentId === deploymentId);
  return found?.name ?? `${deploymentId.slice(0, 8)}…`;
}

interface LinkProps {
  readonly deployments: readonly Named[];
  readonly deploymentId: string;
}

export function DeploymentLink({ deployments, deploymentId }: LinkProps) {
  const href = useHref();
  return (
    <Link to={href(`/deployments/${deploymentId}`)} className="hover:underline">
      {nameOf(deployments, deploymentId)}
    </Link>
  );
}

/** Filters by deployment, in the address's `deployment`. */
export function DeploymentFilter({ deployments }: { readonly deployments: readonly Named[] }) {
  const [chosen, choose] = useFilter('deployment');
  const isListed = deployments.some(({ deploymentId }) => deploymentId === chosen);
  return (
    <SelectField label="Deployment" value={chosen} onChange={(event) => choose(event.target.value)}>
      <option value="">All</option>
      {chosen && !isListed && <option value={chosen}>{nameOf(deployments, chosen)}</option>}
      {deployments.map(({ deploymentId, name }) => (
        <option key={deploymentId} value={deploymentId}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
