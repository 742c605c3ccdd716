import type { ComponentType } from 'react';
import type { Scope } from '../../../contract/scopes.ts';
import type { IconName } from '../../ui/icon.tsx';

/** A page of the dashboard. */
export interface PageEntry {
  readonly path: string;
  /** The name in the navigation. Pages without a label are reached by links. */
  readonly label?: string;
  readonly icon?: IconName;
  /** The key that opens the page after G. */
  readonly key?: string;
  /** The action that opens the create dialog of the page, for users with a further scope. */
  readonly create?: { readonly label: string; readonly needs?: Scope };
  /** Whether the navigation shows next to the label how much waits. */
  readonly countsWaiting?: boolean;
  /** The scope that the page requires. `administration` requires the role of an owner or admin. */
  readonly needs?: Scope | 'administration';
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
}

/** All pages, grouped as in the navigation. */
export const GROUPS: readonly { readonly title: string; readonly pages: readonly PageEntry[] }[] = [
  {
    title: 'Monitor',
    pages: [
      { path: '/', label: 'Overview', icon: 'home', key: 'o', load: () => import('../overview/page.tsx') },
      {
        path: '/conversations',
        label: 'Conversations',
        icon: 'chat',
        key: 'c',
        needs: 'conversations:read',
        load: () => import('../conversations/page.tsx'),
      },
      {
        path: '/conversations/:conversationId',
        needs: 'conversations:read',
        load: () => import('../conversations/conversation-page.tsx'),
      },
      {
        path: '/conversations/:conversationId/runs/:runId',
        needs: 'traces:read',
        load: () => import('../conversations/trace/page.tsx'),
      },
      {
        path: '/inbox',
        label: 'Inbox',
        icon: 'inbox',
        key: 'b',
        countsWaiting: true,
        needs: 'conversations:read',
        load: () => import('../inbox/page.tsx'),
      },
      { path: '/waiting', needs: 'conversations:read', load: () => import('../inbox/former-address.tsx') },
      {
        path: '/usage',
        label: 'Usage and cost',
        icon: 'chart',
        key: 'u',
        needs: 'workflows:read',
        load: () => import('../usage/page.tsx'),
      },
      {
        path: '/events',
        label: 'Events',
        icon: 'pulse',
        key: 'e',
        needs: 'events:read',
        load: () => import('../events/page.tsx'),
      },
    ],
  },
  {
    title: 'Build',
    pages: [
      {
        path: '/workflows',
        label: 'Workflows',
        icon: 'branch',
        key: 'f',
        create: { label: 'New workflow', needs: 'workflows:write' },
        needs: 'workflows:read',
        load: () => import('../workflows/page.tsx'),
      },
      { path: '/workflows/:workflowId', needs: 'workflows:read', load: () => import('../workflows/workflow-page.tsx') },
      {
        path: '/deployments',
        label: 'Deployments',
        icon: 'cloud',
        key: 'd',
        create: { label: 'New deployment', needs: 'workflows:write' },
        needs: 'workflows:read',
        load: () => import('../deployments/page.tsx'),
      },
      {
        path: '/deployments/:deploymentId',
        needs: 'workflows:read',
        load: () => import('../deployments/deployment-page.tsx'),
      },
      {
        path: '/models',
        label: 'Models',
        icon: 'spark',
        key: 'j',
        needs: 'workflows:read',
        load: () => import('../models/page.tsx'),
      },
      {
        path: '/triggers',
        label: 'Triggers',
        icon: 'bolt',
        key: 't',
        create: { label: 'New trigger', needs: 'triggers:write' },
        needs: 'triggers:read',
        load: () => import('../triggers/page.tsx'),
      },
      {
        path: '/resources',
        label: 'Resources',
        icon: 'box',
        key: 'r',
        create: { label: 'New resource', needs: 'resources:write' },
        needs: 'resources:read',
        load: () => import('../resources/page.tsx'),
      },
      { path: '/resources/:resourceId', needs: 'resources:read', load: () => import('../resources/resource-page.tsx') },
    ],
  },
  {
    title: 'Connect',
    pages: [
      {
        path: '/integrations',
        label: 'Integrations',
        icon: 'plug',
        key: 'i',
        create: { label: 'Connect integration' },
        needs: 'integrations:manage',
        load: () => import('../integrations/page.tsx'),
      },
      {
        path: '/webhooks',
        label: 'Webhooks',
        icon: 'outgoing',
        key: 'h',
        create: { label: 'Add webhook endpoint' },
        needs: 'webhooks:manage',
        load: () => import('../webhooks/page.tsx'),
      },
      { path: '/webhooks/:endpointId', needs: 'webhooks:manage', load: () => import('../webhooks/endpoint-page.tsx') },
      {
        path: '/documents',
        label: 'Published operations',
        icon: 'file',
        key: 'p',
        create: { label: 'New operation', needs: 'documents:write' },
        needs: 'documents:read',
        load: () => import('../documents/page.tsx'),
      },
      { path: '/documents/new', needs: 'documents:write', load: () => import('../documents/new-page.tsx') },
      { path: '/documents/:documentId', needs: 'documents:read', load: () => import('../documents/document-page.tsx') },
      {
        path: '/keys',
        label: 'API keys',
        icon: 'key',
        key: 'k',
        create: { label: 'Create API key' },
        needs: 'keys:manage',
        load: () => import('../keys/page.tsx'),
      },
      {
        path: '/end-users',
        label: 'End users',
        icon: 'user',
        key: 'n',
        needs: 'administration',
        load: () => import('../end-users/page.tsx'),
      },
    ],
  },
  {
    title: 'Settings',
    pages: [
      {
        path: '/members',
        label: 'Members',
        icon: 'users',
        key: 'm',
        create: { label: 'Invite member' },
        needs: 'administration',
        load: () => import('../members/page.tsx'),
      },
      {
        path: '/sign-in-settings',
        label: 'Sign-in',
        icon: 'lock',
        key: 's',
        needs: 'administration',
        load: () => import('../sign-in-settings/page.tsx'),
      },
      {
        path: '/limits',
        label: 'Limits and retention',
        icon: 'sliders',
        key: 'l',
        needs: 'administration',
        load: () => import('../settings/limits-page.tsx'),
      },
      {
        path: '/audit',
        label: 'Audit log',
        icon: 'history',
        key: 'a',
        needs: 'administration',
        load: () => import('../audit/page.tsx'),
      },
      {
        path: '/account',
        label: 'Your account',
        icon: 'user',
        key: 'y',
        load: () => import('../settings/account-page.tsx'),
      },
    ],
  },
];
