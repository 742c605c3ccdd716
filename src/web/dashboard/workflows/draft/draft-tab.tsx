import { MayNot } from '../../build/may-not.tsx';
import { useMay } from '../../session/session.ts';
import type { WorkflowData } from '../data.ts';
import { Behaviour, Bounds } from './behaviour.tsx';
import { ClientTools } from './client-tools.tsx';
import { HttpActions } from './http-actions.tsx';
import { SaveBar } from './save-bar.tsx';
import { McpServers, ResourceTools } from './server-tools.tsx';
import { TestPanel } from './test-panel.tsx';
import { TriggerSwitch } from './trigger-switch.tsx';

/** The draft, and beside it a place to try it. */
export function DraftTab({ workflow }: { readonly workflow: WorkflowData }) {
  const mayWrite = useMay('workflows:write');
  return (
    <div className="flex flex-col gap-6">
      {!mayWrite && <MayNot what="this workflow" />}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col">
          <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-6 pb-6">
            <Behaviour />
            <Bounds />
            <ClientTools />
            <HttpActions />
            <McpServers />
            <ResourceTools />
            <TriggerSwitch {...workflow} />
          </fieldset>
          {mayWrite && <SaveBar />}
        </div>
        {mayWrite && <TestPanel workflowId={workflow.workflowId} />}
      </div>
    </div>
  );
}
