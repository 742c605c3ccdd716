import { once } from 'node:events';
import { createDatabase } from './database.ts';
import { options } from './options.ts';
import { SHIPPED } from './processes.ts';
import { startProvider } from './provider.ts';
import { CONTINUE, JSON_BY_KEY, PATH } from './turns.ts';

/** Starts the built service with a provider for a comparison with other services, and waits for Ctrl-C. */
export async function serve(): Promise<void> {
  const tokens = Number(options.tokens);
  if (!Number.isInteger(tokens) || tokens < 1)
    throw new Error(`--tokens must be a number. You sent ${options.tokens}.`);
  const database = await createDatabase();
  const provider = await startProvider();
  await provider.setReplies({ tokens, everyMs: 0 });
  const service = await provider.startService('chat', database.url, SHIPPED);
  const headers = Object.entries(JSON_BY_KEY).map(([name, value]) => `-H '${name}: ${value}'`);
  const [body = ''] = (CONTINUE.body ?? '').split(',"conversation_id"');
  console.log(`Service:  ${service.url}`);
  console.log(`Provider: ${provider.url} (chat completions and messages, ${tokens} tokens)`);
  console.log(`Turn:     curl ${service.url}${PATH} ${headers.join(' ')} -d '${body}}'`);
  await once(process, 'SIGINT');
}
