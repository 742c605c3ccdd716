/** A request to copy. The user replaces YOUR_KEY. */
interface FirstRequest {
  readonly label: string;
  readonly text: string;
}

/** The same turn over every API. */
export function firstRequests(origin: string, deploymentId: string): readonly FirstRequest[] {
  const curl = [
    `curl -s ${origin}/v2/runner/${deploymentId}/conversation \\`,
    "  -H 'x-api-key: YOUR_KEY' -H 'Content-Type: application/json' \\",
    `  -d '{"content":[{"type":"text","text":"Hello"}]}'`,
  ];
  const graphql = [
    'mutation {',
    `  runAgentTurn(input: { deploymentId: "${deploymentId}", content: [{ text: "Hello" }] }) {`,
    '    ... on RunAgentTurnPayload {',
    '      turn { __typename ... on FinishedTurn { conversationId content } }',
    '    }',
    '    ... on Error { code message }',
    '  }',
    '}',
  ];
  const sdk = [
    "import { createClient } from '@parley/sdk';",
    '',
    'const client = createClient({',
    `  baseUrl: '${origin}',`,
    `  deploymentId: '${deploymentId}',`,
    "  apiKey: 'YOUR_KEY',",
    '});',
    "const { messages } = await client.agent.start({ content: 'Hello' });",
    'console.log(messages.at(-1)?.content);',
    'client.agent.close();',
  ];
  return [
    { label: 'curl', text: curl.join('\n') },
    { label: 'GraphQL', text: graphql.join('\n') },
    { label: 'SDK', text: sdk.join('\n') },
  ];
}
