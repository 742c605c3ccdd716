import { useId } from 'react';
import { APPROVAL_TOOL, DECISION_TOOLS, RAISE_BUDGET_TOOL } from '../../contract/client-tools.ts';
import type { PendingToolCall } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { approvalOf } from '../timeline/client-tools.ts';
import { JsonView } from '../timeline/json-view.tsx';
import { titleOf } from '../timeline/labels.ts';
import type { Viewer } from './forms/form-props.ts';

interface Props {
  readonly call: PendingToolCall;
  readonly viewer: Viewer;
}

/** Whether this side can answer the call. Only a decision can exclude a side. */
export function canAnswer({ call, viewer }: Props): boolean {
  if (!DECISION_TOOLS.includes(call.name)) return true;
  const { approver } = approvalOf(call.arguments);
  return approver === 'either' || approver === viewer;
}

/** A call that the other side answers, with the reason why this page has no form for it. */
export function WaitingCall({ call, viewer }: Props) {
  const id = useId();
  const isApproval = call.name === APPROVAL_TOOL;
  const t = texts();
  const waitsForTeam = viewer === 'client';
  const waitingText = waitsForTeam ? t.round.waitingForTeam : t.round.waitingForClient;
  const { tool, args } = approvalOf(call.arguments);
  const decides = waitsForTeam ? t.round.teamDecides : t.round.clientDecides;
  const decidesHidden = waitsForTeam ? t.round.teamDecidesHidden : t.round.clientDecidesHidden;
  const decision = tool === '' ? decidesHidden : decides(tool);
  const shown = isApproval ? args : call.arguments;
  const together = waitsForTeam ? t.round.togetherByTeam : t.round.togetherByClient;
  if (call.name === RAISE_BUDGET_TOOL) return <Pausing />;
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface p-4 sm:p-5">
      <h3 id={id} className="text-lg font-semibold">
        {isApproval ? waitingText : titleOf(call.name)}
      </h3>
      <p className="mt-1 mb-4 text-sm text-muted">{isApproval ? decision : together}</p>
      {!(isApproval && tool === '') && <JsonView label={t.calls.arguments} value={shown} />}
    </section>
  );
}

/** A budget is used up. Amounts are not for visitors. */
function Pausing() {
  const id = useId();
  const t = texts().budgets;
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface p-4 sm:p-5">
      <h3 id={id} className="text-lg font-semibold">
        {t.pausing}
      </h3>
      <p className="mt-1 text-sm text-muted">{t.pausingHint}</p>
    </section>
  );
}
