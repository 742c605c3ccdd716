import { input, placed } from '../../../shapes/field.ts';
import { RESUME_AGENT_TURN, RUN_AGENT_TURN, RUN_ONCE, SEND_MESSAGE } from '../../../shapes/turns.ts';
import type { DeclaredErrors } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { RESUME_ERRORS } from './turn-errors.ts';

export const RunOnceInput = inputType(RUN_ONCE);

export const SendMessageInput = inputType(SEND_MESSAGE);

const { name, says, fields } = RUN_AGENT_TURN;

const errors = { errors: RESUME_ERRORS } satisfies DeclaredErrors;

export const RunAgentTurnInput = inputType(
  input(name, says, { ...fields, toolResults: placed({ extensions: errors }, fields.toolResults) }),
);

export const ResumeAgentTurnInput = inputType(RESUME_AGENT_TURN);
