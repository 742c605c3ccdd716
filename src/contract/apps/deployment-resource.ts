import type { EnvironmentKind } from '../statuses.ts';

/** What an app of an end user names as the resource: a deployment, in one environment of its workspace. */
export interface DeploymentResource {
  readonly environment: EnvironmentKind;
  /** In lower case. */
  readonly deploymentId: string;
}

/** The path of the MCP server for the end users of a deployment. `/mcp` is that of members and keys. */
const DEPLOYMENT_PATH = /^\/mcp(\/test)?\/deployments\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The deployment that a path names. An address has one spelling, because tokens are for exactly this address. */
export function deploymentOfPath(path: string): DeploymentResource | undefined {
  const [, test, deploymentId] = DEPLOYMENT_PATH.exec(path) ?? [];
  return deploymentId === undefined ? undefined : { environment: test ? 'test' : 'live', deploymentId };
}

/** The deployment that a resource names. Undefined: it names something else. */
export function deploymentOfResource(publicUrl: string, resource: string): DeploymentResource | undefined {
  return resource.startsWith(publicUrl) ? deploymentOfPath(resource.slice(publicUrl.length)) : undefined;
}

export function pathOfDeployment({ environment, deploymentId }: DeploymentResource): string {
  return `/mcp${environment === 'test' ? '/test' : ''}/deployments/${deploymentId}`;
}
