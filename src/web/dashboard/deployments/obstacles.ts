import type { ResultOf } from 'gql.tada';
import type { DEPLOYMENT } from './documents.ts';

/** A deployment as its page reads it. */
export type DeploymentData = NonNullable<ResultOf<typeof DEPLOYMENT>['deployment']>;

/** Why each way to use a deployment does not work yet, in sentences. An empty list means that it works. */
export interface Obstacles {
  readonly page: readonly string[];
  readonly widget: readonly string[];
  readonly api: readonly string[];
}

export function obstaclesOf(deployment: DeploymentData): Obstacles {
  const { publishedVersion, hostedPage, workflow } = deployment;
  const publish = publishedVersion === null ? ['Not published. Publish a version first.'] : [];
  const page = hostedPage ? [] : ['The hosted page is off. Turn it on under Access and limits.'];
  const trigger = workflow.triggerRequired
    ? ['Conversations can only start from a trigger. Send your users the links of triggers.']
    : [];
  return {
    page: [...publish, ...page, ...trigger],
    widget: [...publish, ...page, ...frameObstacles(deployment), ...trigger],
    api: [...publish, ...(trigger.length > 0 ? ['A new conversation needs a trigger_id.'] : [])],
  };
}

/** Browsers send no cookies to a frame on another site, so its requests count as the site's, not as a visitor's. */
function frameObstacles({ authRequired, allowlist }: DeploymentData): string[] {
  if (authRequired && allowlist.length === 0) {
    return [
      'No other site can show it. Add your host to the allowlist under Access and limits, or allow requests without credentials.',
    ];
  }
  if (authRequired) return ['On other sites the widget opens in a new tab, because requests need credentials.'];
  const { hostname } = window.location;
  if (allowlist.length === 0 || allowlist.some((host) => hostname === host || hostname.endsWith(`.${host}`))) return [];
  return [`On other sites the widget opens in a new tab. Add ${hostname} to the allowlist to embed it.`];
}

/** Whether requests from a program need an API key. */
export const needsKey = ({ authRequired, allowlist }: DeploymentData): boolean => authRequired || allowlist.length > 0;

export function widgetCode(origin: string, { deploymentId, kind }: DeploymentData): string {
  const page = kind === 'AGENT' ? ' data-kind="agent"' : '';
  return `<script src="${origin}/widget.js" data-deployment="${deploymentId}"${page}></script>`;
}

export function curlExample(origin: string, deployment: DeploymentData): string {
  const version = deployment.kind === 'AGENT' ? 'v2' : 'v1';
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
