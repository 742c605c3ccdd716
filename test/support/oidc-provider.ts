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

interface ProviderRequest {
  readonly url: URL;
  readonly body?: URLSearchParams;
}

/** Signs in at the provider like a browser: follows redirects and submits its forms. Returns the way back. */
export async function signInAt(provider: RealProvider, authorization: URL, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let request: ProviderRequest = { url: authorization };
  for (let steps = 0; steps < 20; steps += 1) {
    const response = await sendTo(request, cookies);
    const location = response.headers.get('location');
    if (location === null) request = submit(await response.text(), request.url, login);
    else if (new URL(location, request.url).origin === provider.issuer)
      request = { url: new URL(location, request.url) };
    else return new URL(location);
  }
  throw new Error('The provider redirects too often');
}

async function sendTo({ url, body }: ProviderRequest, cookies: Map<string, string>): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const method = body ? 'POST' : 'GET';
  const response = await fetch(url, { method, body: body ?? null, redirect: 'manual', headers: { cookie } });
  for (const text of response.headers.getSetCookie()) {
    const [name = '', ...value] = (text.split(';')[0] ?? '').split('=');
    cookies.set(name, value.join('='));
  }
  return response;
}

/** The submission of the form on a page: the login, or the consent. */
function submit(html: string, url: URL, login: string): ProviderRequest {
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
  const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
  if (!action || !prompt) throw new Error(`The provider shows no form: ${html.slice(0, 500)}`);
  return {
    url: new URL(action, url),
    body: new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) }),
  };
}
