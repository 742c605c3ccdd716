import { DEMO_QUESTIONS } from '../../../src/model/demo-tools.ts';

/** The protocols that the service speaks. */
export type Protocol = 'chat' | 'messages';

/** A streamed reply, with all fields that the providers send. */
export interface Reply {
  readonly words: readonly string[];
  /** The pieces that the provider writes: one for each word, and one or more for the beginning and the end. */
  readonly chunks: readonly string[];
}

/** A reply of this many tokens, to a prompt of `promptTokens`. */
export function replyOf(protocol: Protocol, tokens: number, promptTokens = PROMPT_TOKENS): Reply {
  const words = Array.from({ length: tokens }, (_, index) => `token${index} `);
  return protocol === 'chat' ? chatReply(words, { promptTokens }) : messagesReply(words, { promptTokens });
}

const PROMPT_TOKENS = 20;

interface ReplyOptions {
  readonly questions?: string;
  readonly promptTokens?: number;
}

/** A reply that calls `ask_user`. */
export function callOf(protocol: Protocol): Reply {
  const questions = JSON.stringify({ questions: DEMO_QUESTIONS });
  return protocol === 'chat' ? chatReply([], { questions }) : messagesReply([], { questions });
}

function chatReply(words: readonly string[], { questions, promptTokens = PROMPT_TOKENS }: ReplyOptions): Reply {
  const shared = {
    id: 'chatcmpl-CgQ5hD0T4cN2sJrZ1vYkXw8uLbMfE',
    object: 'chat.completion.chunk',
    created: 1_795_000_000,
  };
  const more = { model: 'gpt-bench', service_tier: 'default', system_fingerprint: 'fp_1a2b3c4d5e' };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...shared, ...more, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'ask_user', arguments: questions } };
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: words.length,
    total_tokens: promptTokens + words.length,
  };
  return {
    words,
    chunks: [
      ...words.map((content, index) => chunk({ ...(index === 0 && { role: 'assistant', refusal: null }), content })),
      ...(questions ? [chunk({ tool_calls: [call] })] : []),
      chunk({}, questions ? 'tool_calls' : 'stop'),
      event({ ...shared, ...more, choices: [], usage }),
      'data: [DONE]\n\n',
    ],
  };
}

function messagesReply(words: readonly string[], { questions, promptTokens = PROMPT_TOKENS }: ReplyOptions): Reply {
  const chunk = (type: string, fields: object) => `event: ${type}\n${event({ type, ...fields })}`;
  const usage = {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    service_tier: 'standard',
  };
  const message = { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant', model: 'claude-bench' };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'ask_user', input: {} };
  const delta = (fields: object) => chunk('content_block_delta', { index: 0, delta: fields });
  return {
    words,
    chunks: [
      chunk('message_start', { message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } }) +
        chunk('content_block_start', { index: 0, content_block: questions ? call : { type: 'text', text: '' } }) +
        chunk('ping', {}),
      ...words.map((text) => delta({ type: 'text_delta', text })),
      ...(questions ? [delta({ type: 'input_json_delta', partial_json: questions })] : []),
      chunk('content_block_stop', { index: 0 }) +
        chunk('message_delta', {
          delta: { stop_reason: questions ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage: { ...usage, output_tokens: words.length },
        }) +
        chunk('message_stop', {}),
    ],
  };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
