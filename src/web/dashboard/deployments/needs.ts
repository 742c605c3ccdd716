import type { DeploymentData } from './data.ts';

/** What stands in the way of each way to use a deployment, as sentences; empty where it works. */
export interface Obstacles {
  readonly page: readonly string[];
  readonly widget: readonly string[];
  readonly api: readonly string[];
}

export function obstaclesOf(deployment: DeploymentData): Obstacles {
  const { publishedVersion, hostedPage, workflow } = deployment;
  const all = publishedVersion === null ? ['It is not published: publish a version to it.'] : [];
  const shown = hostedPage ? [] : ['The hosted page is off: switch it on in the settings below.'];
  const started = workflow.triggerRequired
    ? ['Conversations have to start from a trigger: send out the links of triggers.']
    : [];
  return {
    page: [...all, ...shown, ...started],
    widget: [...all, ...shown, ...framedObstacles(deployment), ...started],
    api: [...all, ...(started.length > 0 ? ['A conversation has to name a trigger_id when it starts.'] : [])],
  };
}

/** Browsers send no cookies to a frame on another site, so what the page in it asks counts as its host's, not as a visitor's. */
function framedObstacles({ authRequired, allowlist }: DeploymentData): string[] {
  if (authRequired && allowlist.length === 0) {
    return ['No other site may show it: name yours in the allowlist below, or let requests come without credentials.'];
  }
  if (authRequired) return ['On another site it offers to be opened in a new tab: it asks for credentials.'];
  const { hostname } = window.location;
  if (allowlist.length === 0 || allowlist.some((host) => hostname === host || hostname.endsWith(`.${host}`))) return [];
  return [`On another site it offers to be opened in a new tab: name ${hostname} in the allowlist as well.`];
}

/** Whether requests from anywhere, like a terminal, need a key. */
export const needsKey = ({ authRequired, allowlist }: DeploymentData): boolean => authRequired || allowlist.length > 0;

/** Where the service is reached: where this page came from. */
export function widgetCode(origin: string, { deploymentId }: DeploymentData): string {
  return `<script src="${origin}/widget.js" data-deployment="${deploymentId}"></script>`;
}

export function curlExample(origin: string, deployment: DeploymentData): string {
  const version = deployment.kind === 'agent' ? 'v2' : 'v1';
  const start = deployment.workflow.triggerRequired
    ? '{"trigger_id":"TRIGGER_ID"}'
    : '{"content":[{"type":"text","text":"Hello"}]}';
  return [
    `curl -s ${origin}/${version}/runner/${deployment.deploymentId}/conversation`,
    ...(needsKey(deployment) ? [`  -H "x-api-key: $PARLEY_API_KEY"`] : []),
    `  -H 'Content-Type: application/json'`,
    `  -d '${start}'`,
  ].join(' \\\n');
}
