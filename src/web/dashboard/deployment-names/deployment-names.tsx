import { Link } from 'wouter';
import { FilterSelect } from '../frame/filters.tsx';
import { useFilter, useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { DEPLOYMENT_NAMES } from './documents.ts';

interface DeploymentName {
  readonly deploymentId: string;
  readonly name: string;
  readonly kind: 'AGENT' | 'CHAT';
  readonly hostedPage: boolean;
  readonly publishedVersion: number | null;
}

const NO_DEPLOYMENTS: readonly DeploymentName[] = [];

/** The newest 100 deployments, for pages that know deployments only by ID. */
export function useDeployments(): readonly DeploymentName[] {
  return useServiceQuery(DEPLOYMENT_NAMES, {}).data?.deployments.nodes ?? NO_DEPLOYMENTS;
}

/** The name of a deployment, or the start of its ID if the name is unknown. */
export function nameOf(deployments: readonly DeploymentName[], deploymentId: string): string {
  const deployment = deployments.find((one) => one.deploymentId === deploymentId);
  return deployment?.name ?? `${deploymentId.slice(0, 8)}…`;
}

interface LinkProps {
  readonly deployments: readonly DeploymentName[];
  readonly deploymentId: string;
}

export function DeploymentLink({ deployments, deploymentId }: LinkProps) {
  const href = useHref();
  const name = nameOf(deployments, deploymentId);
  return (
    <Link
      to={href(`/deployments/${deploymentId}`)}
      title={name}
      className="hover:underline md:inline-block md:max-w-40 md:truncate md:align-bottom"
    >
      {name}
    </Link>
  );
}

/** The deployment filter, in the query parameter `deployment`. */
export function DeploymentFilter({ deployments }: { readonly deployments: readonly DeploymentName[] }) {
  const [selected] = useFilter('deployment');
  const isUnknown = selected && !deployments.some(({ deploymentId }) => deploymentId === selected);
  const options = [
    ['', 'All'],
    ...(isUnknown ? [[selected, nameOf(deployments, selected)]] : []),
    ...deployments.map(({ deploymentId, name }) => [deploymentId, name]),
  ] as [string, string][];
  return <FilterSelect label="Deployment" name="deployment" options={options} />;
}
