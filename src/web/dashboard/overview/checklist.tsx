import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../frame/page-frame.tsx';
import { CREATE_QUERY, useEnvironment, useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { SETUP_PROGRESS } from './documents.ts';

type Setup = ResultOf<typeof SETUP_PROGRESS>;

interface Step {
  readonly title: string;
  readonly hint: string;
  readonly done: boolean;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** The steps to the first conversation. Each links to its place. */
function stepsOf({ setupProgress, workflows: { nodes } }: Setup): readonly Step[] {
  if (!setupProgress) return [];
  const { hasModel, hasWorkflow, hasTest, hasPublication, hasAccess } = setupProgress;
  const [newest] = nodes;
  const path = newest ? `/workflows/${newest.workflowId}` : '/workflows';
  return [
    {
      title: 'Connect a model provider',
      hint: 'See which variables to set, and send a test call. Without one, the demo model answers.',
      done: hasModel,
      path: '/models',
    },
    {
      title: 'Create a workflow',
      hint: 'Start from a template, or write your own instructions.',
      done: hasWorkflow,
      path: '/workflows',
      ...(!hasWorkflow && { query: CREATE_QUERY }),
    },
    {
      title: 'Test it',
      hint: 'Talk to the draft in its playground before anyone else does.',
      done: hasTest,
      path,
      query: { tab: 'playground' },
    },
    {
      title: 'Publish it to a deployment',
      hint: 'Clients connect to a deployment.',
      done: hasPublication,
      path,
      query: { tab: 'publish' },
    },
    {
      title: 'Embed it, or create an API key',
      hint: 'Turn on the hosted page and copy the code for your site, or call the API.',
      done: hasAccess,
      path: '/deployments',
    },
    {
      title: 'Have the first conversation',
      hint: 'It appears here live, and this list disappears.',
      done: false,
      path: '/deployments',
    },
  ];
}

const keyOf = (workspaceId: string, userId: string) => `parley-checklist-hidden/${workspaceId}/${userId}`;

/** localStorage may be blocked. The list then returns with the next visit. */
function readHidden(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function storeHidden(key: string): void {
  try {
    localStorage.setItem(key, 'true');
  } catch {
    // The list is hidden until the page closes.
  }
}

/** The first steps of a workspace, until the live environment has a conversation or the member hides them. */
export function Checklist() {
  const { user, workspace } = useMe();
  const key = keyOf(workspace.workspaceId, user.userId);
  const [isHidden, setHidden] = useState(() => readHidden(key));
  const isPaused = useEnvironment() !== 'live' || isHidden;
  const { data } = useServiceQuery(SETUP_PROGRESS, {}, { pause: isPaused });
  if (isPaused || !data?.setupProgress) return null;
  const steps = stepsOf(data);
  const hide = () => {
    storeHidden(key);
    setHidden(true);
  };
  return (
    <Section
      title="First steps"
      actions={
        <Button look="quiet" small onClick={hide}>
          Hide<span className="sr-only"> the first steps</span>
        </Button>
      }
    >
      <p className="mb-3 text-sm text-muted">
        {steps.filter(({ done }) => done).length} of {steps.length} steps are done.
      </p>
      <ol className="flex flex-col divide-y divide-line">
        {steps.map((step) => (
          <StepRow key={step.title} {...step} />
        ))}
      </ol>
    </Section>
  );
}

function StepRow({ title, hint, done, path, query }: Step) {
  const href = useHref();
  return (
    <li className="flex items-start gap-3 py-2.5">
      <span
        aria-hidden="true"
        className={`mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full border ${done ? 'border-transparent bg-ok-soft text-ok' : 'border-edge'}`}
      >
        {done && <Icon name="check" className="size-4" />}
      </span>
      <span className="min-w-0">
        <Link to={href(path, query)} className="font-medium text-accent hover:underline">
          {title}
        </Link>
        <span className="sr-only">{done ? ' (done)' : ' (open)'}</span>
        <span className="block text-sm text-muted">{hint}</span>
      </span>
    </li>
  );
}
