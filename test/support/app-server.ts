import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A certificate of localhost that nobody trusts, and its key. They protect nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUSgRmYALpkbqi8P/ZBirdtkzOHBEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODIzMzg0NloYDzIxMjYxMTA0
MjMzODQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQQTOpa90sN2JoBnZZWxtmkvgMfaKo8rHRa9o1Xbp4PRuOmuXTnvv42
drGfLuERIZcCaLFwyyZNzF7uIxjD+8jbo28wbTAdBgNVHQ4EFgQUESLcBsPw19Zu
I8KpLOFAKJ8m4EgwHwYDVR0jBBgwFoAUESLcBsPw19ZuI8KpLOFAKJ8m4EgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAL5F0sfT+fixoc61ezOpcsEBM5f+dK/JzJx8ShT+lKhkAiA+
VA6sqTvAPhVt6Dqa+W8nc7TKyNE8wQnq3deiurbpAw==
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFHcYtaP+pV+JJKaj
n+MHzCM3wXQuAEEOWQh5xZ5OywKhRANCAAQQTOpa90sN2JoBnZZWxtmkvgMfaKo8
rHRa9o1Xbp4PRuOmuXTnvv42drGfLuERIZcCaLFwyyZNzF7uIxjD+8jb
-----END PRIVATE KEY-----`;

/** Where apps receive their codes, unless their document says something else. Tests read only the address. */
export const APP_CALLBACK = 'https://app.example.com/callback';

/** A website with the documents of apps. */
export interface AppServer {
  /** The client ID of an app with this document. */
  clientId(name: string, document?: object): string;
  /** The paths of the requests so far. */
  readonly requests: string[];
  /** What the next requests get instead of a document. */
  reply: { readonly status: number; readonly headers?: object; readonly body: string } | undefined;
  close(): Promise<void>;
}

/** Serves documents over https: the service reads no others. */
export async function startAppServer(): Promise<AppServer> {
  const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const documents = new Map<string, object>();
  const requests: string[] = [];
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const document = documents.get(path);
    const reply = apps.reply ?? { status: document ? 200 : 404, body: JSON.stringify(document ?? {}) };
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apps: AppServer = {
    requests,
    reply: undefined,
    clientId(name, document = {}) {
      const path = `/${name}.json`;
      const client = { client_id: origin + path, client_name: name, redirect_uris: [APP_CALLBACK] };
      documents.set(path, { ...client, token_endpoint_auth_method: 'none', ...document });
      return client.client_id;
    },
    async close() {
      if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust;
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return apps;
}
