import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { FilterSelect, Filters, isUuid, TextFilter } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { WORKFLOW_LOGS } from './documents.ts';
import { LogsTable } from './logs-table.tsx';
import type { Period } from './period.ts';

const OUTCOMES = {
  COMPLETED: 'Completed',
  WAITING_FOR_CLIENT_ACTION: 'Waiting for the client',
  INTERRUPTED: 'Interrupted',
  FAILED: 'Failed',
} as const;

/** The options of the filter, with the words of the URL. */
const OPTIONS = Object.entries(OUTCOMES).map(([name, label]) => [enumValueOf(name), label] as const);

/** The workflow log of the period: one row for each turn and one-shot run. */
export function Logs({ between }: { readonly between: Period['between'] }) {
  const { filter, isInvalidId } = useLogFilter();
  const query = useServiceQuery(
    WORKFLOW_LOGS,
    { filter: { ...filter, ...(between && { createdAt: between }) }, ...usePosition() },
    { pause: !between },
  );
  return (
    <Section title="Turns and one-shot runs">
      <div className="mb-4">
        <Filters label="Turn filters">
          <FilterSelect name="outcome" label="Outcome" options={[['', 'All'], ...OPTIONS]} />
          <TextFilter name="model" label="Model" placeholder="provider:name" />
          <TextFilter
            name="conversation"
            label="Conversation"
            placeholder="Conversation ID"
            error={isInvalidId ? 'This is not a conversation ID.' : undefined}
          />
          <TextFilter name="trigger" label="Trigger" placeholder="Trigger ID" maxLength={LIMITS.triggerIdLength} />
        </Filters>
      </div>
      <Loaded query={query}>
        {({ workflowLogs: { nodes, pageInfo } }) => (
          <>
            <LogsTable
              label="Turns and one-shot runs"
              entries={nodes}
              empty="No turns or one-shot runs match these filters."
            />
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The filters in the URL. */
function useLogFilter() {
  const [deploymentId] = useFilter('deployment');
  const [requested] = useFilter('outcome');
  const [model] = useFilter('model');
  const [conversationId] = useFilter('conversation');
  const [triggerId] = useFilter('trigger');
  const outcome = Object.keys(OUTCOMES).find((one) => enumValueOf(one) === requested) as
    | keyof typeof OUTCOMES
    | undefined;
  const filter = {
    ...(isUuid(deploymentId) && { deploymentId }),
    ...(outcome && { outcomes: [outcome] }),
    ...(model && { model }),
    ...(isUuid(conversationId) && { conversationId }),
    ...(triggerId && { triggerId }),
  };
  return { filter, isInvalidId: conversationId !== '' && !isUuid(conversationId) };
}
