/** React hooks over the SDK's controllers: each is one `useSyncExternalStore`, safe in StrictMode and on servers. */
export { type UseAgent, useAgent } from './use-agent.ts';
export { type UseConversation, useConversation } from './use-conversation.ts';
export { type UseTrigger, useTrigger } from './use-trigger.ts';
