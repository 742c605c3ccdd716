import type { CallKind } from '../../../contract/statuses.ts';
import type { OfferedAction } from '../../actions/offered-action.ts';
import type { ToolDefinition } from '../model-port.ts';

/** A tool that a run can call, in the form that is stored with the run. */
export interface OfferedTool extends ToolDefinition {
  readonly kind: CallKind;
  /** Also in all earlier lists of the run, so that each of its calls was one that only reads. */
  readonly isReadOnly?: true;
  readonly source?: NonNullable<OfferedAction['source']>;
}
