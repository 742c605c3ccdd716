import { Badge } from '../../../ui/notice.tsx';
import type { ApprovalValues } from './approval-values.ts';

const CALLS = { NEVER: 'No approval', ALWAYS: 'Every call', WHEN: 'Some calls' } as const;
const APPROVERS = { MEMBER: 'a member', CLIENT: 'the client', EITHER: 'the client or a member' } as const;

type Approval = Pick<ApprovalValues, 'mode' | 'approver'>;

/** Which calls wait for an approval, and whose, as a sentence without its end. */
function approvalText({ mode, approver }: Approval): string {
  return mode === 'NEVER' ? CALLS.NEVER : `${CALLS[mode]}: ${APPROVERS[approver]} approves`;
}

/** The same as a badge. */
export function ApprovalBadge(approval: Approval) {
  return <Badge tone={approval.mode === 'NEVER' ? 'neutral' : 'warn'}>{approvalText(approval)}</Badge>;
}
