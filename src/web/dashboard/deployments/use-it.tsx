import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { OutsideLink } from '../../messages/outside-link.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useHref } from '../location.ts';
import { Section } from '../shell/page-frame.tsx';
import type { DeploymentData } from './data.ts';
import { curlExample, needsKey, obstaclesOf, widgetCode } from './needs.ts';

/** How a deployment is put to use, and what is in the way of that. */
export function UseIt({ deployment }: { readonly deployment: DeploymentData }) {
  const href = useHref();
  const { origin } = window.location;
  const { kind, chatUrl, agentUrl, deploymentId } = deployment;
  const obstacles = obstaclesOf(deployment);
  const pages = [
    { title: 'Hosted chat', url: chatUrl },
    { title: 'Hosted agent', url: agentUrl },
  ];
  return (
    <Section
      title="Use it"
      actions={
        <Link to={href('/triggers', { deployment: deploymentId })} className="text-accent hover:underline">
          Its triggers
        </Link>
      }
    >
      <div className="flex flex-col gap-8">
        <Way title="Hosted page" obstacles={obstacles.page}>
          {(kind === 'chat' ? pages : pages.toReversed()).map(({ title, url }) => (
            <div key={title} className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="min-w-0 break-all">
                {title}: <OutsideLink href={url}>{url}</OutsideLink>
              </span>
              <CopyButton text={url} label="Copy link" />
            </div>
          ))}
        </Way>
        <Way title="Widget on your site" obstacles={obstacles.widget}>
          <Code text={widgetCode(origin, deployment)} label="Embed code" />
        </Way>
        <Way title="API" obstacles={obstacles.api}>
          <Code text={curlExample(origin, deployment)} label="curl example" />
          {needsKey(deployment) && (
            <p className="text-sm text-muted">
              It needs a key with the scope conversations:write
              {deployment.authRequired ? '.' : ', since it does not come from a page of the allowlist.'}
            </p>
          )}
        </Way>
      </div>
    </Section>
  );
}

interface WayProps {
  readonly title: string;
  readonly obstacles: readonly string[];
  readonly children: ReactNode;
}

function Way({ title, obstacles, children }: WayProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h3 className="font-medium">{title}</h3>
      {obstacles.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          {obstacles.map((obstacle) => (
            <li key={obstacle} className="flex items-start gap-2">
              <Icon name="warning" className="mt-0.5 size-4" />
              {obstacle}
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line pl-3">
        <span className="text-sm text-muted">{label}</span>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-sm leading-relaxed">
        {text}
      </pre>
    </div>
  );
}
