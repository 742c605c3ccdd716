import { afterEach } from 'vitest';
import {
  type AgentController,
  type AgentState,
  type ClientOptions,
  createClient,
  type JsonObject,
  type ParleyClient,
} from '../../src/sdk/index.ts';
import type { Client } from './client.ts';
import { DEMO_AGENT_ID } from './service.ts';

/** An SDK client of the demo agent. */
export function clientFor(
  { url, key }: Pick<Client, 'url' | 'key'>,
  options: Partial<ClientOptions> = {},
): ParleyClient {
  return createClient({ baseUrl: url, apiKey: key, deploymentId: DEMO_AGENT_ID, ...options });
}

/** A function that creates controllers of the demo agent. They are closed after the test. */
export function agentFactory(service: () => Pick<Client, 'url' | 'key'>): () => AgentController {
  const opened = new Set<AgentController>();
  afterEach(() => {
    for (const agent of opened) agent.close();
    opened.clear();
  });
  return () => {
    const agent = clientFor(service()).createAgent();
    opened.add(agent);
    return agent;
  };
}

/** Resolves with the first state that matches. */
export function stateOf(agent: AgentController, matches: (state: AgentState) => boolean): Promise<AgentState> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined;
    const check = (state: AgentState) => {
      if (!matches(state)) return false;
      stop?.();
      resolve(state);
      return true;
    };
    if (!check(agent.getState())) stop = agent.subscribe(check);
  });
}

/** A valid output of `ask_user`. */
export function answersTo(args: JsonObject | undefined): JsonObject {
  const questions = (args?.questions ?? []) as { id: string; input_type: string; options?: string[] }[];
  const chosen = ({ input_type, options }: (typeof questions)[number]) =>
    input_type === 'multi_select' ? options?.slice(0, 2) : (options?.[0] ?? 'Ann');
  return { answers: questions.map((question) => ({ id: question.id, value: chosen(question) })) };
}

export function textsOf({ messages }: Pick<AgentState, 'messages'>): string[] {
  return messages.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
}
