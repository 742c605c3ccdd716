import { mayMatch } from '../json-schema/value-problem.ts';
import type { Approval, WorkflowConfig } from '../workflows/config.ts';
import { configuredTool, type ToolName } from './configured-tool.ts';

/** The approval that a call of an action needs. Undefined: it runs at once. */
export function approvalOf(
  config: WorkflowConfig,
  tool: ToolName,
  args: Readonly<Record<string, unknown>>,
): Approval | undefined {
  const ofTool = config.toolApprovals.find((rule) => rule.tool === tool.name);
  const approval = ofTool ?? configuredTool(config, tool)?.approval;
  if (!approval || approval.mode === 'never') return undefined;
  if (approval.mode === 'when' && approval.when && !mayMatch(approval.when, args)) return undefined;
  return approval;
}
