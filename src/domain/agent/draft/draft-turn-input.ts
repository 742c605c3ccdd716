import { z } from 'zod';
import { DRAFT_SOURCE, DRAFT_TURN, DRAFT_TURN_RECORD } from '../../../shapes/draft-turns.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { sized } from '../../../shapes/kinds.ts';
import { oneShotVariables } from '../../../shapes/variables.ts';
import { parseInput } from '../../input.ts';
import { contentInput } from '../../message-content.ts';

const { workflowId: _, turns, ...fields } = DRAFT_TURN.fields;

const turn = z.object({ ...rulesOf(DRAFT_TURN_RECORD.fields), content: contentInput });

const source = z.object(rulesOf(DRAFT_SOURCE.fields));

const draftTurn = z.object({ ...rulesOf(fields), variables: oneShotVariables.rule, turns: sized(turn, turns) });

/** A turn of a test, as its caller keeps it. */
export type DraftTurnRecord = z.output<typeof turn>;

/** The stored conversation that a test continues. */
export type DraftSource = z.output<typeof source>;

export type DraftTurnInput = z.output<typeof draftTurn>;

/** @throws {ServiceError} invalid_request */
export function parseDraftTurn(input: Readonly<Record<string, unknown>>): DraftTurnInput {
  return parseInput(draftTurn, input);
}
