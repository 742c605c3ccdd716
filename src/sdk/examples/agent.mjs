// A conversation with an agent from the command line: what the assistant asks is answered here.
//   PARLEY_URL=http://127.0.0.1:4000 PARLEY_KEY=sk_test_… node agent.mjs
import { createInterface } from 'node:readline';
import { createClient, ParleyError } from '@parley/sdk';

const client = createClient({
  baseUrl: process.env.PARLEY_URL ?? 'http://127.0.0.1:4000',
  apiKey: process.env.PARLEY_KEY,
  deploymentId: process.env.PARLEY_DEPLOYMENT ?? '00000000-0000-4000-8000-000000000002',
});
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();

const agent = client.createAgent({
  clientTools: {
    // Runs by itself whenever the assistant calls it.
    async ask_user({ questions }) {
      const answers = [];
      for (const { id, question, input_type, options } of questions) {
        console.log(`${question}${options ? ` (${options.join(', ')})` : ''}`);
        const { value: given = '' } = await lines.next();
        answers.push({ id, value: input_type === 'multi_select' ? given.split(/\s*,\s*/) : given });
      }
      return { answers };
    },
  },
});

let shown = 0;
agent.subscribe(({ messages }) => {
  for (const { role, content } of messages.slice(shown)) {
    const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
    if (role === 'assistant') console.log(`Assistant: ${text}`);
  }
  shown = messages.length;
});

/** Resolves once the assistant has nothing more to ask. */
function settled() {
  return new Promise((resolve) => {
    const look = ({ status }) => (status === 'success' || status === 'error') && resolve();
    agent.subscribe(look);
    look(agent.getState());
  });
}

try {
  // What the demo agent takes for "ask me, say thank you, and complete the conversation".
  await agent.start({ content: process.argv[2] ?? '/ask\n/complete\n/say Thank you.' });
  await settled();
  console.log(`Conversation ${agent.getState().conversationId} is ${agent.getState().conversationStatus}.`);
} catch (error) {
  console.error(error instanceof ParleyError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  agent.close();
  terminal.close();
}
