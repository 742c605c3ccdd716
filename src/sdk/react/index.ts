'use client';

/** React hooks for the SDK. Each is one `useSyncExternalStore` and works in StrictMode and in server rendering. */
export { type UseAgent, useAgent } from './use-agent.ts';
export { type UseConversation, type UseConversationOptions, useConversation } from './use-conversation.ts';
export { type UseTrigger, useTrigger } from './use-trigger.ts';
