import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { OutsideLink } from '../../messages/outside-link.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useHref } from '../location.ts';
import { curlExample, type DeploymentData, needsKey, obstaclesOf, widgetCode } from './obstacles.ts';

/** The ways to use a deployment, and what prevents each of them. */
export function UsageGuide({ deployment }: { readonly deployment: DeploymentData }) {
  const href = useHref();
  const { origin } = window.location;
  const { kind, chatUrl, agentUrl, deploymentId } = deployment;
  const obstacles = obstaclesOf(deployment);
  // The other page cannot show what a deployment of this kind does.
  const pageUrl = kind === 'CHAT' ? chatUrl : agentUrl;
  return (
    <Section
      title="Use this deployment"
      actions={
        <Link to={href('/triggers', { deployment: deploymentId })} className="text-accent hover:underline">
          Triggers
        </Link>
      }
    >
      <div className="flex flex-col gap-8">
        <Option title="Widget on your site" obstacles={obstacles.widget}>
          <CodeBlock text={widgetCode(origin, deployment)} label="Embed code" copyLabel="Copy the embed code" />
        </Option>
        <Option title="Hosted page" obstacles={obstacles.page}>
          <div className="flex flex-wrap items-center justify-between gap-x-3">
            <span className="min-w-0 wrap-anywhere">
              <OutsideLink href={pageUrl}>{pageUrl}</OutsideLink>
            </span>
            <CopyButton text={pageUrl} label="Copy link" />
          </div>
        </Option>
        <Option title="API" obstacles={obstacles.api}>
          <CodeBlock text={curlExample(origin, deployment)} label="curl example" />
          {needsKey(deployment) && (
            <p className="text-sm text-muted">
              Requires an API key with the scope conversations:write
              {deployment.authRequired ? '.' : ', because the request does not come from a page on the allowlist.'}
            </p>
          )}
        </Option>
      </div>
    </Section>
  );
}

interface OptionProps {
  readonly title: string;
  readonly obstacles: readonly string[];
  readonly children: ReactNode;
}

function Option({ title, obstacles, children }: OptionProps) {
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
