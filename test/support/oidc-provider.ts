import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FAKE_CLIENT } from './fake-oidc.ts';

/** A real provider in a process of its own. */
export interface RealProvider {
  readonly issuer: string;
  close(): void;
}

/**
 * Starts a provider whose people sign in with their ID and any password. To a browser, `localhost` is another site than
 * the service.
 */
export async function startProvider(
  redirectUri: string,
  accounts: Readonly<Record<string, object>>,
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<RealProvider> {
  const client = {
    client_id: FAKE_CLIENT.clientId,
    client_secret: FAKE_CLIENT.clientSecret,
    redirect_uris: [redirectUri],
  };
  const file = join(import.meta.dirname, 'processes/oidc-provider.ts');
  const child = fork(file, [], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, OIDC_PROVIDER: JSON.stringify({ host, client, accounts }) },
    // It warns about settings for production.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The provider ended with ${code}.`);
    }),
  ])) as [{ readonly issuer: string }];
  return { issuer: message.issuer, close: () => void child.kill() };
}
