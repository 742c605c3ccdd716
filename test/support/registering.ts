import { APP_CALLBACK } from './app-server.ts';
import type { Client } from './client.ts';
import { TestApp } from './connecting.ts';

let addresses = 0;

/** Each registration has an IP address of its own, unless a test names one. */
function nextAddress(): string {
  addresses += 1;
  return `203.0.${Math.floor(addresses / 250)}.${addresses % 250}`;
}

/** Sends a registration, whatever its body is. */
export async function sendRegistration(service: Client, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL('/oauth/register', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': nextAddress(), ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Registers an app at one service. It sends its other requests to `target`. */
export async function registeredApp(
  service: Client,
  redirectUri: string = APP_CALLBACK,
  target: Client = service,
): Promise<TestApp> {
  const metadata = { redirect_uris: [redirectUri], client_name: 'Self-made' };
  const { body } = await sendRegistration(service, JSON.stringify(metadata));
  return new TestApp(target, body.client_id, redirectUri);
}
