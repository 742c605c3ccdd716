import type { Answer, Client } from './client.ts';

/** Opens a hosted page as a browser does, and answers the cookies that it is given, to be sent again. */
export async function visit(
  client: Client,
  deploymentId: string,
  { page = 'chat', cookie }: { readonly page?: 'chat' | 'agent'; readonly cookie?: string } = {},
): Promise<{ readonly answer: Answer; readonly cookie: string; readonly set: readonly string[] }> {
  const headers = { ...(cookie && { cookie }) };
  const answer = await client.send('GET', `/${page}/${deploymentId}`, { key: null, headers });
  const set = answer.headers.getSetCookie();
  return { answer, set, cookie: set.map((line) => line.split(';')[0]).join('; ') };
}
