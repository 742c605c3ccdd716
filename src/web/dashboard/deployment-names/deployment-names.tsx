import { Link } from 'wouter';
import { useFilter, useHref } from '../location.ts';
import { useReading } from '../requests.ts';
import { FilterSelect } from '../shell/filters.tsx';
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
  const [chosen] = useFilter('deployment');
  const isUnknown = chosen && !deployments.some(({ deploymentId }) => deploymentId === chosen);
  const options = [
    ['', 'All'],
    ...(isUnknown ? [[chosen, nameOf(deployments, chosen)]] : []),
    ...deployments.map(({ deploymentId, name }) => [deploymentId, name]),
  ] as [string, string][];
  return <FilterSelect label="Deployment" name="deployment" options={options} />;
}
