import type { ComponentType } from 'react';
import type { Scope } from '../../../contract/scopes.ts';

/** A page of the dashboard. */
export interface PageEntry {
  readonly path: string;
  /** The name in the navigation. Pages without a label are reached by links. */
  readonly label?: string;
  /** The scope that the page requires. `administration` requires the role of an owner or admin. */
  readonly needs?: Scope | 'administration';
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
}

/** All pages, grouped as in the navigation. */
export const GROUPS: readonly { readonly title: string; readonly pages: readonly PageEntry[] }[] = [
  {
    title: 'Monitor',
    pages: [
      { path: '/', label: 'Overview', load: () => import('../overview/page.tsx') },
      {
        path: '/conversations',
        label: 'Conversations',
        needs: 'conversations:read',
        load: () => import('../conversations/page.tsx'),
      },
      {
        path: '/conversations/:conversationId',
        needs: 'conversations:read',
        load: () => import('../conversations/conversation-page.tsx'),
      },
      { path: '/usage', label: 'Usage and cost', needs: 'workflows:read', load: () => import('../usage/page.tsx') },
      { path: '/events', label: 'Events', needs: 'events:read', load: () => import('../events/page.tsx') },
    ],
  },
  {
    title: 'Build',
    pages: [
      { path: '/workflows', label: 'Workflows', needs: 'workflows:read', load: () => import('../workflows/page.tsx') },
      { path: '/workflows/:workflowId', needs: 'workflows:read', load: () => import('../workflows/workflow-page.tsx') },
      {
        path: '/deployments',
        label: 'Deployments',
        needs: 'workflows:read',
        load: () => import('../deployments/page.tsx'),
      },
      {
        path: '/deployments/:deploymentId',
        needs: 'workflows:read',
        load: () => import('../deployments/deployment-page.tsx'),
      },
      { path: '/triggers', label: 'Triggers', needs: 'triggers:read', load: () => import('../triggers/page.tsx') },
      { path: '/resources', label: 'Resources', needs: 'resources:read', load: () => import('../resources/page.tsx') },
      { path: '/resources/:resourceId', needs: 'resources:read', load: () => import('../resources/resource-page.tsx') },
    ],
  },
  {
    title: 'Connect',
    pages: [
      {
        path: '/integrations',
        label: 'Integrations',
        needs: 'integrations:manage',
        load: () => import('../integrations/page.tsx'),
      },
      { path: '/webhooks', label: 'Webhooks', needs: 'webhooks:manage', load: () => import('../webhooks/page.tsx') },
      { path: '/webhooks/:endpointId', needs: 'webhooks:manage', load: () => import('../webhooks/endpoint-page.tsx') },
      { path: '/keys', label: 'API keys', needs: 'keys:manage', load: () => import('../keys/page.tsx') },
    ],
  },
  {
    title: 'Settings',
    pages: [
      { path: '/members', label: 'Members', needs: 'administration', load: () => import('../members/page.tsx') },
      {
        path: '/limits',
        label: 'Limits and retention',
        needs: 'administration',
        load: () => import('../settings/limits-page.tsx'),
      },
      { path: '/audit', label: 'Audit log', needs: 'administration', load: () => import('../audit/page.tsx') },
      { path: '/account', label: 'Your account', load: () => import('../settings/account-page.tsx') },
    ],
  },
];
