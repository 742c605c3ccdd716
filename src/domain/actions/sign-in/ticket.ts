import { z } from 'zod';
import { ENVIRONMENT_KINDS } from '../../../contract/statuses.ts';
import type { SomeServices } from '../../context.ts';

const ticket = z.object({
  integrationId: z.string(),
  environment: z.enum(ENVIRONMENT_KINDS),
  state: z.string(),
  /** Unix time in milliseconds. */
  until: z.number(),
});

/** What the browser keeps of an attempt, encrypted. */
export type SignInTicket = z.output<typeof ticket>;

const OWNER = 'sign-in to an integration';

/** Encrypts a ticket for the cookie of the browser. */
export function sealTicket(
  { services }: { readonly services: SomeServices<'secretBox'> },
  content: SignInTicket,
): string {
  return Buffer.from(services.settings.secretBox.seal(JSON.stringify(content), OWNER)).toString('base64url');
}

/** Opens the ticket of a cookie. Undefined: the service has not made it. */
export function openTicket(
  { services }: { readonly services: SomeServices<'secretBox'> },
  cookie: string,
): SignInTicket | undefined {
  try {
    return ticket.parse(JSON.parse(services.settings.secretBox.open(Buffer.from(cookie, 'base64url'), OWNER)));
  } catch {
    return undefined;
  }
}
