// Serves public keys for `startJwksServer`, in a process of its own. The test decides about each reply.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JwksReply } from '../jwks-server.ts';

let reply: JwksReply = {};
let requests = 0;

const server = createServer((_request, response) => {
  requests += 1;
  const { status = 200, headers = {}, body = '{"keys":[]}', isEndless } = reply;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (isEndless) response.write(body);
  else response.end(body);
});

process.on('message', (message: { readonly reply?: JwksReply }) => {
  if (message.reply) reply = message.reply;
  process.send?.({ requests });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
