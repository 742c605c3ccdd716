import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { FilterSelect, Filters, isUuid, TextFilter } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { Section } from '../shell/page-frame.tsx';
import { WORKFLOW_LOGS } from './documents.ts';
import { LogsTable } from './logs-table.tsx';
import type { Period } from './period.ts';

const OUTCOMES = {
  completed: 'Done',
  waiting_for_client_action: 'Paused for the client',
  interrupted: 'Interrupted',
  failed: 'Failed',
} as const;

/** The workflow log of the period: each turn and one-shot run by itself. */
export function Logs({ between }: { readonly between: Period['between'] }) {
  const { filter, isNoConversation } = useLogFilter();
  const reading = useReading(
    WORKFLOW_LOGS,
    { filter: { ...filter, ...between }, ...usePosition() },
    { pause: !between },
  );
  return (
    <Section title="Turns and one-shot runs">
      <div className="mb-4">
        <Filters label="Filters of turns">
          <FilterSelect name="outcome" label="Outcome" options={[['', 'All'], ...Object.entries(OUTCOMES)]} />
          <TextFilter name="model" label="Model" placeholder="provider:name" />
          <TextFilter
            name="conversation"
            label="Conversation"
            placeholder="Its id"
            error={isNoConversation ? 'This is no id of a conversation.' : undefined}
          />
          <TextFilter name="trigger" label="Trigger" placeholder="Its id" maxLength={8} />
        </Filters>
      </div>
      <Loaded reading={reading}>
        {({ workflowLogs: { nodes, pageInfo } }) => (
          <>
            <LogsTable
              label="Turns and one-shot runs"
              lines={nodes}
              empty="No turn or one-shot run of these days is like that."
            />
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** What the address says of which lines are listed. */
function useLogFilter() {
  const [deploymentId] = useFilter('deployment');
  const [ended] = useFilter('outcome');
  const [model] = useFilter('model');
  const [conversationId] = useFilter('conversation');
  const [triggerId] = useFilter('trigger');
  const outcome = Object.keys(OUTCOMES).find((one) => one === ended) as keyof typeof OUTCOMES | undefined;
  const filter = {
    ...(isUuid(deploymentId) && { deploymentId }),
    ...(outcome && { outcomes: [outcome] }),
    ...(model && { model }),
    ...(isUuid(conversationId) && { conversationId }),
    ...(triggerId && { triggerId }),
  };
  return { filter, isNoConversation: conversationId !== '' && !isUuid(conversationId) };
}
