/** What the service does with an answer. `expired`: the person has to sign in again. */
export type Answered = { readonly redirectUrl: string } | 'expired' | 'unknown' | 'failed';

/** Sends the answer of the person. */
export async function sendAnswer(requestId: string, answer: 'allow' | 'deny'): Promise<Answered> {
  try {
    const response = await fetch(`/connect/${encodeURIComponent(requestId)}/${answer}`, { method: 'POST' });
    if (response.status === 401) return 'expired';
    if (response.status === 404) return 'unknown';
    if (!response.ok) return 'failed';
    const { redirect_url: redirectUrl } = (await response.json()) as { readonly redirect_url: string };
    return { redirectUrl };
  } catch {
    return 'failed';
  }
}
