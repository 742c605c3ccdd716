import type { Client, HttpResponse } from './client.ts';

/** Opens a hosted page like a browser. Returns its cookies for the next request. */
export async function visit(
  client: Client,
  deploymentId: string,
  { page = 'chat', cookie }: { readonly page?: 'chat' | 'agent'; readonly cookie?: string } = {},
): Promise<{ readonly answer: HttpResponse; readonly cookie: string; readonly set: readonly string[] }> {
  const headers = { ...(cookie && { cookie }) };
  const answer = await client.send('GET', `/${page}/${deploymentId}`, { key: null, headers });
  const set = answer.headers.getSetCookie();
  return { answer, set, cookie: set.map((line) => line.split(';')[0]).join('; ') };
}
