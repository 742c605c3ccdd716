import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { CREATE_QUERY, useEnvironment } from '../../location.ts';
import { useServiceQuery } from '../../requests.ts';
import { useMe, usePermission } from '../../session/session.ts';
import { useCanUse, useVisiblePages } from '../navigation.tsx';
import { type Command, type CommandGroup, FOUND, pageCommands } from './commands.ts';
import { FIND_BY_ID, FIND_CONVERSATIONS, PALETTE_NAMES } from './documents.ts';
import { candidatesOf, commandOf, conversationCommand, isPossibleId } from './find-id.ts';

interface Actions {
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
}

/** Everything that the palette offers, before it is filtered by the text. */
export function useCommands(
  text: string,
  actions: Actions,
): { readonly groups: readonly CommandGroup[]; readonly isSearching: boolean } {
  const pages = useVisiblePages().flatMap((group) => group.pages);
  const canUse = useCanUse();
  const { found, isSearching } = useFound(text.trim());
  const creations = pages.flatMap(({ path, create }) =>
    create && canUse(create.needs)
      ? [{ id: `create ${path}`, label: create.label, icon: 'plus' as const, to: path, query: CREATE_QUERY }]
      : [],
  );
  const groups = [
    { value: FOUND, items: found },
    { value: 'Pages', items: pageCommands(pages) },
    { value: 'Actions', items: [...creations, ...useActions(actions)] },
    ...useNames(),
  ];
  return { groups, isSearching };
}

function useActions({ onHelp, onSignOut }: Actions): Command[] {
  const environment = useEnvironment();
  const [, setParams] = useSearchParams();
  const other = environment === 'test' ? 'live' : 'test';
  return [
    {
      id: 'environment',
      label: `Switch to the ${other} environment`,
      icon: 'flask',
      run: () => setParams(other === 'test' ? { env: 'test' } : {}),
    },
    { id: 'shortcuts', label: 'Keyboard shortcuts', icon: 'keyboard', note: '?', run: onHelp },
    { id: 'sign-out', label: 'Sign out', icon: 'leave', run: onSignOut },
  ];
}

/** Deployments and workflows by name: the newest 100 of each. */
function useNames(): CommandGroup[] {
  const { data } = useServiceQuery(PALETTE_NAMES, {}, { pause: !usePermission('workflows:read') });
  if (!data) return [];
  return [
    {
      value: 'Deployments',
      items: data.deployments.nodes.map(({ deploymentId, name }) => ({
        id: `deployment ${deploymentId}`,
        label: name,
        note: 'Deployment',
        icon: 'cloud',
        to: `/deployments/${deploymentId}`,
      })),
    },
    {
      value: 'Workflows',
      items: data.workflows.nodes.map(({ workflowId, name }) => ({
        id: `workflow ${workflowId}`,
        label: name,
        note: 'Workflow',
        icon: 'branch',
        to: `/workflows/${workflowId}`,
      })),
    },
  ];
}

const NO_COMMANDS: readonly Command[] = [];

/** Looks for a record after the user stops typing for this long. */
const DEBOUNCE_MS = 150;

/** The records with an ID, and the conversations that contain it: of a request, a call or another system. */
function useFound(text: string): { readonly found: readonly Command[]; readonly isSearching: boolean } {
  const me = useMe();
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const ids = useMemo(() => candidatesOf(typed, me), [typed, me]);
  const isId = isPossibleId(typed, me);
  const byId = useServiceQuery(FIND_BY_ID, { ids }, { pause: ids.length === 0 });
  const related = useServiceQuery(FIND_CONVERSATIONS, { id: typed }, { pause: !isId });
  const loading = (ids.length > 0 && byId.loading) || (isId && related.loading);
  const found = useMemo(() => {
    const records = ids.length > 0 ? (byId.data?.nodes ?? []) : [];
    const conversations = isId ? (related.data?.conversations.nodes ?? []) : [];
    return unique([
      ...records.flatMap((node) => (node ? (commandOf(node) ?? []) : [])),
      ...conversations.map(conversationCommand),
    ]);
  }, [ids, isId, byId.data, related.data]);
  return {
    found: typed === text && !loading ? found : NO_COMMANDS,
    isSearching: (candidatesOf(text, me).length > 0 || isPossibleId(text, me)) && (typed !== text || loading),
  };
}

/** The first command for each page. */
const unique = (commands: readonly Command[]): readonly Command[] =>
  [...new Map([...commands].reverse().map((command) => [command.to, command])).values()].reverse();
