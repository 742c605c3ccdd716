import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import type { Deployment } from '../../db/generated/client.ts';
import type { Approval, WorkflowConfig } from './config.ts';

/** The settings that admit callers without credentials. */
type Admission = Pick<Deployment, 'authRequired' | 'hostedPage'>;

/** Whether callers without credentials reach a deployment. */
export function isPublicDeployment({ authRequired, hostedPage }: Admission): boolean {
  return !authRequired || hostedPage;
}

/**
 * Requires that a version for a public deployment decides about approvals by strangers: the visitor who caused a call must
 * not approve it unless the workflow says so. Older versions do not say so, and strangers cannot answer their approvals.
 * @throws {ServiceError} invalid_request with the path of the first undecided approval in the draft
 */
export function requireExplicitApprovers(config: WorkflowConfig): void {
  const open = approvalsOf(config).find(
    ({ approval: { mode, approver, allowAnonymous } }) =>
      mode !== 'never' && approver !== 'member' && allowAnonymous === undefined,
  );
  if (!open) return;
  const message =
    '{param} must be true or false, because callers without credentials reach the deployment: with true, a visitor can approve the calls that the visitor has caused. Or set the approver to MEMBER.';
  throw new ServiceError('invalid_request', message, { param: [...open.path, 'allowAnonymous'] });
}

interface Placed {
  readonly approval: Approval;
  readonly path: FieldPath;
}

function approvalsOf({ httpActions, mcpServers, toolApprovals }: WorkflowConfig): Placed[] {
  const inside = (list: 'httpActions' | 'mcpServers', items: readonly { readonly approval?: Approval | undefined }[]) =>
    items.flatMap(({ approval }, index): Placed[] => (approval ? [{ approval, path: [list, index, 'approval'] }] : []));
  return [
    ...inside('httpActions', httpActions),
    ...inside('mcpServers', mcpServers),
    ...toolApprovals.map((approval, index): Placed => ({ approval, path: ['toolApprovals', index] })),
  ];
}
