import type { MessageContent } from '../../sdk/index.ts';
import { readStored, removeStored, store } from '../hosted/tab-storage.ts';

/** The turn that creates a conversation. Until its response arrives, no address leads to the conversation. */
export interface FirstTurn {
  readonly idempotencyKey: string;
  readonly content: MessageContent;
}

const keyOf = (deploymentId: string) => `parley-first-turn-2/${deploymentId}`;

/** Stores it for a reload of this tab. Returns whether it succeeded. */
export function storeFirstTurn(deploymentId: string, turn: FirstTurn): boolean {
  return store(keyOf(deploymentId), JSON.stringify(turn));
}

export function readFirstTurn(deploymentId: string): FirstTurn | undefined {
  const text = readStored(keyOf(deploymentId));
  return text === null ? undefined : (JSON.parse(text) as FirstTurn);
}

export function removeFirstTurn(deploymentId: string): void {
  removeStored(keyOf(deploymentId));
}
