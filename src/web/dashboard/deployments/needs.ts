import type { DeploymentData } from './data.ts';

/** What stands in the way of each way to use a deployment, as sentences; empty where it works. */
export interface Obstacles {
  readonly page: readonly string[];
  readonly widget: readonly string[];
  readonly api: readonly string[];
}

export function obstaclesOf(deployment: DeploymentData): Obstacles {
  const { publishedVersion, hostedPage, authRequired, allowlist, workflow } = deployment;
  const all = publishedVersion === null ? ['It is not published: publish a version to it.'] : [];
  const shown = hostedPage ? [] : ['The hosted page is off: switch it on in the settings below.'];
  const framed =
    authRequired && allowlist.length === 0
      ? ['No other site may show it: name yours in the allowlist below, or let requests come without credentials.']
      : [];
  const started = workflow.triggerRequired
    ? ['Conversations have to start from a trigger: send out the links of triggers.']
    : [];
  return {
    page: [...all, ...shown, ...started],
    widget: [...all, ...shown, ...framed, ...started],
    api: [...all, ...(started.length > 0 ? ['A conversation has to name a trigger_id when it starts.'] : [])],
  };
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
