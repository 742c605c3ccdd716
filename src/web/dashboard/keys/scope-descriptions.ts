import type { Scope } from '../../../contract/scopes.ts';

/** What each scope allows. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  'resources:read': 'Read resources',
  'resources:write': 'Create, change and delete resources',
  'events:read': 'Read and follow the event log',
  'conversations:read': 'Read conversations',
  'conversations:write': 'Start, continue and delete conversations',
  'conversations:handle': 'Take conversations over from the assistant, and write in them',
  'traces:read': 'Read traces: prompts, and arguments and results of server tools',
  'triggers:read': 'Read triggers',
  'triggers:write': 'Create triggers',
  'workflows:read': 'Read workflows, deployments and usage',
  'workflows:write': 'Change and publish workflows and deployments',
  'documents:read': 'Read published operations',
  'documents:write': 'Publish and unpublish operations',
  'budgets:read': 'Read budgets and what was spent of them',
  'budgets:write': 'Set and remove budgets',
  'webhooks:manage': 'Manage webhook endpoints',
  'integrations:manage': 'Manage integrations',
  'keys:manage': 'Create, rotate and revoke API keys',
  'end_users:manage': 'Create tokens of end users, and erase their data',
};
