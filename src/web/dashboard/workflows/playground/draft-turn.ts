import type { ResultOf, VariablesOf } from 'gql.tada';
import { stringifyDocument } from 'urql';
import { followSubscription, ParleyError } from '../../../../sdk/index.ts';
import type { Environment } from '../../location.ts';
import { DRAFT_TURN } from '../documents.ts';

type Event = ResultOf<typeof DRAFT_TURN>['draftTurn'];

/** A model step of a turn. */
export type Step = Extract<Event, { readonly __typename: 'DraftTurnStepped' }>['step'];

export type StepCall = Step['calls'][number];

/** The end of a turn. */
export type TurnEnd = Extract<Event, { readonly __typename: 'DraftTurnDone' }>;

export type DraftTurnInput = VariablesOf<typeof DRAFT_TURN>['input'];

/** What arrives while a turn runs. */
export interface TurnListener {
  readonly onText: (text: string) => void;
  readonly onStep: (step: Step) => void;
}

/**
 * Runs a turn of a test to its end. It is never sent twice: a turn runs actions.
 * @throws {ParleyError}
 */
export async function runDraftTurn(
  environment: Environment,
  input: DraftTurnInput,
  signal: AbortSignal,
  { onText, onStep }: TurnListener,
): Promise<TurnEnd> {
  const done = new AbortController();
  let end: TurnEnd | undefined;
  await followSubscription<ResultOf<typeof DRAFT_TURN>>({
    baseUrl: '',
    headers: { 'x-environment': environment },
    query: stringifyDocument(DRAFT_TURN),
    variables: { input },
    signal: AbortSignal.any([signal, done.signal]),
    onEvent({ draftTurn }) {
      if (draftTurn.__typename === 'DraftTurnDelta') onText(draftTurn.text);
      if (draftTurn.__typename === 'DraftTurnStepped') onStep(draftTurn.step);
      if (draftTurn.__typename === 'DraftTurnDone') {
        end = draftTurn;
        done.abort();
      }
      return '';
    },
    onDisconnect(error) {
      throw error ?? interrupted();
    },
  });
  if (!end) throw interrupted();
  return end;
}

function interrupted(): ParleyError {
  return new ParleyError({ code: 'connection_error', message: 'The connection ended before the reply did.' });
}
