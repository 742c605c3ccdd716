// A conversation with an agent on the command line. The user answers the assistant's questions in the terminal.
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
    // The SDK calls this handler when the assistant calls the tool.
    async ask_user({ questions }) {
      const answers = [];
      for (const { id, question, input_type, options } of questions) {
        console.log(`${question}${options ? ` (${options.join(', ')})` : ''}`);
        const { value: line = '' } = await lines.next();
        answers.push({ id, value: input_type === 'multi_select' ? line.split(/\s*,\s*/) : line });
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

try {
  // A script for the demo agent: ask questions, complete the conversation, say thank you.
  await agent.start({ content: process.argv[2] ?? '/ask\n/complete\n/say Thank you.' });
  const { conversationId, conversationStatus, error } = await agent.settled();
  if (error) throw error;
  console.log(`Conversation ${conversationId} is ${conversationStatus}.`);
} catch (error) {
  console.error(error instanceof ParleyError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  agent.close();
  terminal.close();
}
