import { it } from 'vitest';
import { startService, DEMO_AGENT_ID, DEMO_CHAT_ID } from './support/service.ts';
it('probe', async () => {
  const s = await startService();
  const show = (name: string, a: any) => console.log(name, '=>', a.status, JSON.stringify(a.body).slice(0, 420), a.headers.get('www-authenticate') ?? '', a.headers.get('allow') ?? '', a.headers.get('x-request-id') ? '' : 'NO-REQ-ID');
  const agent = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  const send = `mutation($d: UUID!, $i: MessageInput!) { sendMessage(deploymentId: $d, input: $i) { conversationId content } }`;
  const g = async (name: string, q: string, v: object = {}, o: object = {}) => show('GQL ' + name, await s.graphql(q, v, o));
  const r = async (name: string, m: string, p: string, o: object = {}) => { try { show('REST ' + name, await s.send(m, p, o)); } catch (e) { console.log(name, 'THREW', String(e), (e as any).cause); } };
  await g('no key query', '{ conversations { totalCount } }', {}, { key: null });
  await g('no key mutation', send, { d: DEMO_CHAT_ID, i: { content: [{ type: 'text', text: 'x' }] } }, { key: null });
  await g('bad key', '{ conversations { totalCount } }', {}, { key: 'sk_live_x' });
  await g('no key, bad variables', send, { d: 'x', i: {} }, { key: null });
  await g('syntax', '{', {});
  await g('syntax no key', '{', {}, { key: null });
  await g('validation', '{ nope }', {});
  await g('literal type', '{ conversations(first: "a") { totalCount } }', {});
  await g('range', '{ conversations(first: 101) { totalCount } }', {});
  await g('bad var', send, { d: DEMO_CHAT_ID, i: { content: [{ type: 'text', text: 5 }] } });
  await g('blank', send, { d: DEMO_CHAT_ID, i: { content: [{ type: 'text', text: ' ' }] } });
  await g('unknown field', send, { d: DEMO_CHAT_ID, i: { content: [{ type: 'text', text: 'x', nope: 1 }] } });
  await g('single content', send, { d: DEMO_CHAT_ID, i: { content: { type: 'text', text: 'x' } } });
  await g('literal single content', `mutation { sendMessage(deploymentId: "${DEMO_CHAT_ID}", input: {content: {type: text, text: "a"}}) { content } }`);
  await g('literal bad', `mutation { sendMessage(deploymentId: "zz", input: {content: [{type: text, text: "a"}]}) { content } }`);
  await g('literal nul', `mutation { sendMessage(deploymentId: "${DEMO_CHAT_ID}", input: {content: [{type: text, text: "a\\u0000b"}]}) { content } }`);
  await g('literal surrogate', `mutation { sendMessage(deploymentId: "${DEMO_CHAT_ID}", input: {content: [{type: text, text: "a\ud800b"}]}) { content } }`);
  await g('unknown deployment', send, { d: '00000000-0000-4000-8000-0000000000ff', i: { content: [{ type: 'text', text: 'x' }] } });
  await g('var proto', send, { d: DEMO_CHAT_ID, i: JSON.parse('{"content":[{"type":"text","text":"x"}],"variables":{"__proto__":"a","constructor":"b"}}') });
  await g('node malformed', '{ node(id: "zzz") { id } }');
  await g('node malformed b64', `{ node(id: "${Buffer.from('Conversation:zzz').toString('base64')}") { id } }`);
  await g('node unknown type', `{ node(id: "${Buffer.from('Nope:zzz').toString('base64')}") { id } }`);
  await g('nodes', `{ nodes(ids: ["${Buffer.from('Conversation:zzz').toString('base64')}","a"]) { id } }`);
  await g('node nul', `query($i: ID!) { node(id: $i) { id } }`, { i: Buffer.from('Conversation:\0').toString('base64') });
  await g('node int', `{ node(id: 5) { id } }`);
  await g('node unauth', `{ node(id: "zzz") { id } }`, {}, { key: null });
  await g('introspection unauth', '{ __schema { queryType { name } } }', {}, { key: null });
  for (const raw of ['null', '5', '[]', '"x"', '{}', '{"query":5}', '{"query":"{ __typename }","variables":5}', '{"query":"{ __typename }","variables":[]}', '{"query":"{ __typename }","operationName":5}', '{"query":"{ __typename }","operationName":"Nope"}', '{"query":"{ __typename }","extensions":5}', '[{"query":"{ __typename }"}]'])
    await r('/graphql ' + raw, 'POST', '/graphql', { raw });
  await g('deep doc', '{a'.repeat(20000) + '}'.repeat(20000));
  await g('deep list', `{ conversations(after: ${'['.repeat(20000)}${']'.repeat(20000)}) { totalCount } }`);
  await r('GET graphql', 'GET', '/graphql?query=' + encodeURIComponent('{ __typename }'));
  await r('GET graphql mutation', 'GET', '/graphql?query=' + encodeURIComponent('mutation { x }'));
  await r('GET graphql none', 'GET', '/graphql');
  await r('PUT graphql', 'PUT', '/graphql', { body: {} });
  await r('OPTIONS graphql', 'OPTIONS', '/graphql');
  await r('HEAD graphql', 'HEAD', '/graphql');
  await r('graphql sub path', 'GET', '/graphql/foo');
  await r('POST text graphql', 'POST', '/graphql', { raw: 'x', headers: { 'content-type': 'text/plain' } });
  await r('form graphql', 'POST', '/graphql', { raw: 'query={__typename}', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  await r('bad json graphql', 'POST', '/graphql', { raw: '{' });
  await r('accept xml', 'POST', '/graphql', { body: { query: '{ __typename }' }, headers: { accept: 'text/html' } });
  await r('accept gql response', 'POST', '/graphql', { body: { query: '{ conversations(first: 101) { totalCount } }' }, headers: { accept: 'application/graphql-response+json' } });
  const body = { content: [{ type: 'text', text: 'x' }] };
  for (const raw of ['null', '5', '[]', '"x"', '{}', '', '{"content":{"type":"text","text":"x"}}', '{"content":[{"type":"text","text":"x"}],"variables":{"__proto__":"a","constructor":"b","a":"c"}}',
    '{"content":[{"type":"text","text":"x"}],"variables":{"__proto__":5}}', '{"content":[{"type":"text","text":"x"}],"meta":{"__proto__":{"a":1}}}', '{"__proto__":{"content":[{"type":"text","text":"x"}]}}',
    '{"content":[{"type":"text","text":"x"}],"meta":{"a":1e999}}','{"content":[{"type":"text","text":"x"}],"history_limit":1e999}','{"content":[{"type":"text","text":"x"}],"historyLimit":"zz"}'])
    await r('agent ' + raw, 'POST', agent, { raw });
  const deep = (n: number) => '['.repeat(n) + ']'.repeat(n);
  for (const n of [1000, 10000, 1000000]) {
    await r('deep variables ' + n, 'POST', agent, { raw: `{"content":[{"type":"text","text":"x"}],"variables":{"a":${deep(n)}}}` });
    await r('deep unknown ' + n, 'POST', agent, { raw: `{"content":[{"type":"text","text":"x"}],"nope":${deep(n)}}` });
    await r('deep content ' + n, 'POST', agent, { raw: `{"content":${deep(n)}}` });
    await r('deep history_limit ' + n, 'POST', agent, { raw: `{"history_limit":${deep(n)}}` });
    await r('deep text ' + n, 'POST', agent, { raw: `{"content":[{"type":"text","text":${deep(n)}}]}` });
    await r('deep gql ' + n, 'POST', '/graphql', { raw: `{"query":${JSON.stringify(send)},"variables":{"d":"${DEMO_CHAT_ID}","i":{"content":[{"type":"text","text":"x"}],"variables":{"a":${deep(n)}}}}}` });
    await r('deep gql unknown var ' + n, 'POST', '/graphql', { raw: `{"query":"{ __typename }","variables":{"d":${deep(n)}}}` });
    await r('deep gql extensions ' + n, 'POST', '/graphql', { raw: `{"query":"{ __typename }","extensions":{"d":${deep(n)}}}` });
  }
  console.log(s.logged.filter((l) => l.includes('unexpected')).map((l) => l.slice(0, 300)).join('\n'));
  await s.close();
}, 120000);
