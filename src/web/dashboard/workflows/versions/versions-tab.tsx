import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { RollBack } from '../../deployments/roll-back.tsx';
import { Loaded } from '../../frame/loaded.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { Table } from '../../frame/table.tsx';
import { useFilter, useHref } from '../../location.ts';
import { Pager, usePosition } from '../../paging.tsx';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { VersionChanges, versionName } from '../../version-changes/version-changes.tsx';
import { VERSIONS } from '../documents.ts';
import type { WorkflowData } from '../draft/draft-values.ts';

/** The published versions. Any two can be compared, and deployments can be rolled back. */
export function VersionsTab({ workflow }: { readonly workflow: WorkflowData }) {
  const query = useServiceQuery(VERSIONS, { workflowId: String(workflow.workflowId), ...usePosition() });
  const [rollBackTo, setRollBackTo] = useState<number>();
  const canRollBack = usePermission('workflows:write') && workflow.deployments.nodes.length > 0;
  return (
    <>
      <Loaded query={query}>
        {({ workflow: page }) => (
          <div>
            <Table
              label="Versions"
              columns={[
                { title: 'Version', cell: ({ number }) => `Version ${number}` },
                { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: 'Deployments', cell: ({ number }) => <RunsOn workflow={workflow} number={number} /> },
                {
                  title: 'Actions',
                  cell: ({ number }) => (
                    <Actions number={number} onRollBack={canRollBack ? () => setRollBackTo(number) : undefined} />
                  ),
                },
              ]}
              rows={page?.versions.nodes ?? []}
              keyOf={({ number }) => number}
              empty="No versions yet. Publish the draft to create version 1."
            />
            {page && <Pager pageInfo={page.versions.pageInfo} />}
          </div>
        )}
      </Loaded>
      {workflow.versions.nodes.length > 0 && <Compare workflow={workflow} />}
      {rollBackTo !== undefined && (
        <RollBack workflow={workflow} version={rollBackTo} onClose={() => setRollBackTo(undefined)} />
      )}
    </>
  );
}

function RunsOn({ workflow, number }: { readonly workflow: WorkflowData; readonly number: number }) {
  const href = useHref();
  const running = workflow.deployments.nodes.filter(({ publishedVersion }) => publishedVersion === number);
  if (running.length === 0) return <span className="text-muted">–</span>;
  return (
    <span className="flex flex-col items-end gap-1 md:items-start">
      {running.map(({ deploymentId, name }) => (
        <Link key={deploymentId} to={href(`/deployments/${deploymentId}`)} className="min-w-0 hover:underline">
          {name}
        </Link>
      ))}
    </span>
  );
}

interface ActionsProps {
  readonly number: number;
  readonly onRollBack: (() => void) | undefined;
}

function Actions({ number, onRollBack }: ActionsProps) {
  const [path] = useLocation();
  const href = useHref();
  return (
    <span className="flex flex-wrap items-center justify-end gap-3 md:justify-start">
      <Link
        to={href(path, { tab: 'versions', from: String(number), to: 'draft' })}
        className="text-accent hover:underline"
      >
        Compare <span className="sr-only">version {number} </span>with draft
      </Link>
      {onRollBack && (
        <Button small onClick={onRollBack}>
          Roll back<span className="sr-only"> to version {number}</span>
        </Button>
      )}
    </span>
  );
}

function Compare({ workflow }: { readonly workflow: WorkflowData }) {
  const numbers = workflow.versions.nodes.map(({ number }) => number);
  const [from, setFrom] = useFilter('from');
  const [to, setTo] = useFilter('to');
  const sides = { from: sideOf(from, numbers) ?? numbers[0] ?? null, to: sideOf(to, numbers) ?? null };
  const options = [null, ...numbers].map((number) => (
    <option key={number} value={number ?? 'draft'}>
      {versionName(number)}
    </option>
  ));
  return (
    <Section title="Compare">
      <div className="mb-6 grid grid-cols-2 gap-4 sm:max-w-md">
        <SelectField
          label="From"
          value={from === 'draft' ? 'draft' : (sides.from ?? 'draft')}
          onChange={(event) => setFrom(event.target.value)}
        >
          {options}
        </SelectField>
        <SelectField label="To" value={sides.to ?? 'draft'} onChange={(event) => setTo(event.target.value)}>
          {options}
        </SelectField>
      </div>
      <VersionChanges workflowId={workflow.workflowId} {...sides} from={from === 'draft' ? null : sides.from} />
    </Section>
  );
}

/** The version in the URL, if it exists. */
function sideOf(text: string, numbers: readonly number[]): number | undefined {
  return numbers.find((number) => String(number) === text);
}
