import { Badge } from '../../../ui/notice.tsx';
import type { ApprovalValues } from './approval-values.ts';

const CALLS = { ALWAYS: 'every call', WHEN: 'some calls' } as const;
const APPROVERS = { MEMBER: 'A member', CLIENT: 'The client', EITHER: 'Client or member' } as const;

type Approval = Pick<ApprovalValues, 'mode' | 'approver'>;

/** Which calls wait for an approval, and whose. */
function approvalText({ mode, approver }: Approval): string {
  return mode === 'NEVER' ? 'No approval' : `${APPROVERS[approver]} approves ${CALLS[mode]}`;
}

/** The same as a badge. */
export function ApprovalBadge(approval: Approval) {
  return <Badge tone={approval.mode === 'NEVER' ? 'neutral' : 'warn'}>{approvalText(approval)}</Badge>;
}
