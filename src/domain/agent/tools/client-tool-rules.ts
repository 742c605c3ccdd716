import { type ClientToolName, isClientToolName } from '../../../contract/client-tools.ts';
import type { FieldPath } from '../../../contract/errors.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { checkDecision } from './approve-action.ts';
import { checkAnswers, questionsProblem } from './ask-user.ts';
import type { OutputCheck, ToolOutput } from './output-problem.ts';
import { checkRaise } from './raise-budget.ts';
import { checkUpload } from './upload-document.ts';

interface ClientToolRules {
  /** A problem that the schema of the arguments cannot express. */
  argumentsProblem?(args: ToolOutput): string | undefined;
  readonly checkOutput: OutputCheck;
}

const RULES: Readonly<Record<ClientToolName, ClientToolRules>> = {
  ask_user: { argumentsProblem: questionsProblem, checkOutput: checkAnswers },
  upload_document: { checkOutput: checkUpload },
  approve_action: { checkOutput: checkDecision },
  raise_budget: { checkOutput: checkRaise },
};

/** Checks arguments that match the schema of their tool. */
export function argumentsProblem(tool: string, args: ToolOutput): string | undefined {
  return isClientToolName(tool) ? RULES[tool].argumentsProblem?.(args) : undefined;
}

/**
 * Checks the output of a client tool. Tools that Parley does not define accept any object.
 * @throws {ServiceError} invalid_tool_result
 */
export function checkOutput(call: Pick<CallEntry, 'name' | 'arguments'>, output: ToolOutput, param: FieldPath): void {
  if (isClientToolName(call.name)) RULES[call.name].checkOutput(call.arguments, output, param);
}
