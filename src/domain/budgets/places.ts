/** The place of a budget as text, unique in the environment: `environment`, or a kind, a colon and the ID. */
export type BudgetPlaceText =
  | 'environment'
  | `${'deployment' | 'conversation' | 'end_user' | 'run' | 'visitors'}:${string}`
  | `end_user@${string}:${string}`;

/** The place of a budget of the whole environment. */
export const environmentPlace: BudgetPlaceText = 'environment';

export function deploymentPlace(id: string): BudgetPlaceText {
  return `deployment:${id}`;
}

export function conversationPlace(id: string): BudgetPlaceText {
  return `conversation:${id}`;
}

export function runPlace(id: string): BudgetPlaceText {
  return `run:${id}`;
}

/** All callers of a deployment without an identity. */
export function visitorsPlace(deploymentId: string): BudgetPlaceText {
  return `visitors:${deploymentId}`;
}

export function endUserPlace(id: string): BudgetPlaceText {
  return `end_user:${id}`;
}

/** An end user at one deployment. The ID of an end user can be any text, so that it comes last. */
export function endUserAtPlace(deploymentId: string, id: string): BudgetPlaceText {
  return `end_user@${deploymentId}:${id}`;
}
