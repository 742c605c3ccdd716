import { LIMITS } from '../../../contract/limits.ts';
import type { SignedIn } from '../../../domain/access/open-session.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { signIn } from '../../../domain/access/sign-in.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { SIGN_IN } from '../../../shapes/sign-in.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { RoleEnum } from './access-enums.ts';
import './second-factor-required.ts';
import { User, WorkspaceObject, workspaceOfNew } from './workspaces.ts';

/** A new session in a response. The token is null if the browser gets it as a cookie. */
interface SessionResult extends Omit<SignedIn, 'token'> {
  readonly token: string | null;
}

/** The payload of mutations that create a session. */
export const sessionFields = (t: PayloadBuilder<SessionResult>) => ({
  token: t.exposeString('token', {
    nullable: true,
    description:
      'The session token: sess_ and 43 characters, for the header `Authorization: Bearer`. It is shown only once. Null: the browser received it as a cookie.',
  }),
  expiresAt: t.expose('expiresAt', {
    type: 'DateTime',
    description: `When it expires: ${LIMITS.sessionHours} hours after its creation.`,
  }),
  sessionId: t.expose('sessionId', { type: 'UUID', description: 'The ID of the session, for revokeSession.' }),
  user: t.field({
    type: User,
    description: 'The member who signed in.',
    resolve: ({ member }) => member.user,
  }),
  workspace: t.field({
    type: WorkspaceObject,
    description: 'The workspace of the session.',
    resolve: ({ member }) => workspaceOfNew(member),
  }),
  role: t.field({
    type: RoleEnum,
    description: "The member's role in the workspace.",
    resolve: ({ member }) => member.role,
  }),
});

/** Returns a new session: with its token, or with a cookie if the input requests it. */
export function signedIn(
  context: OperationContext,
  { cookie }: { readonly cookie?: boolean | null | undefined },
  session: SignedIn,
): SessionResult {
  if (!cookie) return session;
  context.keepSession(session);
  return { ...session, token: null };
}

mutation('signIn', {
  publishing: 'never',
  description: `Creates a session of ${LIMITS.sessionHours} hours. Needs no credentials. Limit: ${RATE_LIMITS.signInByAccount.points} attempts per minute per account, and per IP address. Error unauthorized if the email address or password is wrong, or the workspace does not accept the password. Error second_factor_required if the sign-in needs a second factor.`,
  input: inputType(SIGN_IN),
  errors: ['second_factor_required', 'unauthorized'],
  resolve: async (input, context) => {
    await context.countByAddress(RATE_LIMITS.signInByAddress);
    await context.count(RATE_LIMITS.signInByAccount, input.email.trim().toLowerCase());
    return signedIn(context, input, await signIn(context.open, input));
  },
  payload: sessionFields,
});
