import { SaveBar } from '../../forms/save-bar.tsx';
import { usePermission } from '../../session/session.ts';
import { ReadOnlyNotice } from '../../shell/page-frame.tsx';
import { Assistant, TurnSettings } from './behaviour.tsx';
import { ClientTools } from './client-tools.tsx';
import { useDraftForm } from './draft-form.ts';
import { changedFields, type WorkflowData } from './draft-values.ts';
import { HttpActions } from './http-actions.tsx';
import { McpServers, ResourceTools } from './server-tools.tsx';
import { TestPanel } from './test-panel.tsx';
import { TriggerSwitch } from './trigger-switch.tsx';

/** The draft with a panel to test it. */
export function DraftTab({ workflow }: { readonly workflow: WorkflowData }) {
  const canWrite = usePermission('workflows:write');
  return (
    <div className="flex flex-col gap-6">
      {!canWrite && <ReadOnlyNotice subject="this workflow" />}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col">
          <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-6 pb-6">
            <Assistant />
            <TurnSettings />
            <ClientTools />
            <HttpActions />
            <McpServers />
            <ResourceTools />
            <TriggerSwitch {...workflow} />
          </fieldset>
          {canWrite && <DraftSaveBar />}
        </div>
        {canWrite && <TestPanel workflowId={workflow.workflowId} />}
      </div>
    </div>
  );
}

/** The save bar stays visible at the end of the window. */
function DraftSaveBar() {
  const form = useDraftForm();
  const { conflict } = form;
  return (
    <div className="sticky bottom-0 z-10 -mx-4 flex flex-col gap-3 border-t border-line bg-canvas px-4 py-3 md:mx-0 md:px-0">
      <SaveBar
        verb="Save draft"
        form={form}
        conflict={
          conflict && {
            ...conflict,
            subject: 'This draft',
            changed: changedFields(conflict.base, conflict.theirs),
          }
        }
      />
    </div>
  );
}
