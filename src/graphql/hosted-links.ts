import type { Services } from '../domain/context.ts';

/** A hosted page of a deployment (SPEC 4.7 rule 4): `{chat_url}/chat/{deployment_id}?tid=…`. */
export function hostedLink(
  { chatUrl }: Pick<Services, 'chatUrl'>,
  page: 'chat' | 'agent',
  deploymentId: string,
  triggerId?: string,
): string {
  const query = triggerId === undefined ? '' : `?tid=${triggerId}`;
  return `${chatUrl}/${page}/${deploymentId}${query}`;
}
