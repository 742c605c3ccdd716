import type { MessageContent } from '../../sdk/index.ts';
import { dropKept, keep, readKept } from './tab-storage.ts';

/** The turn that begins a conversation. Until it is answered, nothing else leads back to it. */
export interface FirstTurn {
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly content: MessageContent;
}

const placeOf = (deploymentId: string) => `parley-first-turn-1/${deploymentId}`;

/** Notes it for a reload of this tab; false where it cannot be. */
export function keepFirstTurn(deploymentId: string, turn: FirstTurn): boolean {
  return keep(placeOf(deploymentId), JSON.stringify(turn));
}

export function readFirstTurn(deploymentId: string): FirstTurn | undefined {
  const text = readKept(placeOf(deploymentId));
  return text === null ? undefined : (JSON.parse(text) as FirstTurn);
}

export function dropFirstTurn(deploymentId: string): void {
  dropKept(placeOf(deploymentId));
}
