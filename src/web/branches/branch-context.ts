import { createContext, useContext } from 'react';
import type { MessageContent } from '../../sdk/index.ts';

/** The messages that were at one place of a conversation. */
export interface Variants {
  /** The position of the active one, from 1. */
  readonly position: number;
  /** Their IDs, oldest first. */
  readonly ids: readonly string[];
}

export type Direction = 'previous' | 'next';

/** What the page lets the user do with the messages of the open conversation. */
export interface Branches {
  /** Whether turns can be replaced now. */
  readonly canReplace: boolean;
  /** A turn is running, so that its end brings the actions back. */
  readonly isWaiting: boolean;
  readonly canFork: boolean;
  /** The message whose turn can run again: the last one. */
  readonly lastId: string | undefined;
  /** The last message that a person wrote for the assistant: neither it nor anything before it can be replaced. */
  readonly lastPersonId?: string | undefined;
  /** The last message of the user. Its pencil is always visible. */
  readonly lastUserId: string | undefined;
  readonly variantsOf: (id: string) => Variants | undefined;
  /** An error as a sentence for the user. */
  readonly errorText: (error: unknown) => string;
  /** The action that is being sent. */
  readonly sending: string | undefined;
  /** Resolves with false if the user does not want to replace actions. Rejects with the reason why it failed. */
  readonly edit: (id: string, content: MessageContent) => Promise<boolean>;
  readonly regenerate: (id: string) => void;
  readonly select: (id: string, direction: Direction) => void;
  readonly fork: (id: string) => void;
  /** The button of this message that gets the focus, because it brought the message here. Returns it once. */
  readonly takeFocus: (id: string) => Direction | undefined;
}

/** Undefined: the page only shows messages. */
export const BranchContext = createContext<Branches | undefined>(undefined);

export function useBranches(): Branches | undefined {
  return useContext(BranchContext);
}
