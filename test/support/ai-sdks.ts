import { Chat } from '@ai-sdk/react';
import * as ai from 'ai';
import * as ai7 from 'ai-7';
import { Chat as Chat7 } from 'ai-sdk-react-4';

/** A major version of the AI SDK, unmodified. The tests use what both have. */
export interface AiSdk {
  readonly version: number;
  readonly ai: typeof ai;
  readonly Chat: typeof Chat;
  /** What a page adds to the address of the API, if it wants what only this version knows. */
  readonly query: string;
}

export const AI_SDK_6: AiSdk = { version: 6, ai, Chat, query: '' };

export const AI_SDKS: readonly AiSdk[] = [
  AI_SDK_6,
  { version: 7, ai: ai7 as unknown as typeof ai, Chat: Chat7 as unknown as typeof Chat, query: '?ai_sdk=7' },
];
