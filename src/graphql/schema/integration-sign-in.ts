import { LIMITS } from '../../contract/limits.ts';
import { INTEGRATION_SIGN_IN_STATES, type IntegrationSignInState } from '../../contract/sign-in.ts';
import { signOutOfIntegration } from '../../domain/actions/sign-in/sign-out.ts';
import { startIntegrationSignIn } from '../../domain/actions/sign-in/start.ts';
import type { SignInState } from '../../domain/integrations/sign-in-state.ts';
import type { CostExtensions } from '../../operation/document-cost.ts';
import { SIGN_IN_TO_INTEGRATION, SIGN_OUT_OF_INTEGRATION } from '../../shapes/integrations.ts';
import { User } from './access/workspaces.ts';
import { builder } from './builder.ts';
import { loadEdge } from './edges.ts';
import { enumType } from './enum-type.ts';
import { IntegrationNode, integrationField, OUTBOUND } from './integrations.ts';
import { mutation } from './mutation.ts';
import { inputType } from './shape-fields.ts';

const StateEnum = enumType('IntegrationSignInState', INTEGRATION_SIGN_IN_STATES, {
  description: 'Whether a member is signed in to an MCP server.',
  values: {
    not_needed: 'The server has not asked for a sign-in.',
    needed: 'The server asks for a sign-in, or the last one no longer works. Its tools fail until a member signs in.',
    signed_in: 'A member has signed in.',
    incomplete: 'A member has signed in, but the server asks for further permissions. Sign in again to allow them.',
  },
});

/** Null: the server has not asked for a sign-in. */
interface ReadSignIn {
  readonly state: SignInState | null;
}

const SignInRef = builder.objectRef<ReadSignIn>('IntegrationSignIn').implement({
  description: 'The sign-in of a member at the authorization server of an MCP server. No field has tokens.',
  fields: (t) => ({
    state: t.field({
      type: StateEnum,
      description: 'Whether a member is signed in.',
      resolve: ({ state }) => stateOf(state),
    }),
    problem: t.string({
      nullable: true,
      description: 'Why a member must sign in. Null: nobody has to.',
      resolve: ({ state }) => state?.problem ?? null,
    }),
    issuer: t.string({
      nullable: true,
      description: 'The authorization server where the last member signed in. Null: nobody has signed in.',
      resolve: ({ state }) => state?.issuer ?? null,
    }),
    scopes: t.stringList({
      description:
        'The scopes that the last sign-in asked for, or that the next one will ask for. The server defines them.',
      resolve: ({ state }) => state?.scope?.split(' ') ?? [],
    }),
    signedInAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the last member signed in. Null: nobody has signed in.',
      resolve: ({ state }) => dateOf(state?.at),
    }),
    signedInBy: t.field({
      type: User,
      nullable: true,
      access: { administrator: true },
      description:
        'The member who signed in. Null: nobody has signed in, the member left, or the caller is no owner or admin.',
      resolve: ({ state }, _args, context, info) => loadEdge(state?.userId ?? null, context, info),
    }),
    accessExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the access token expires. Null: there is no token, or the server has not said when it expires.',
      resolve: ({ state }) => dateOf(state?.expiresAt),
    }),
    renewsAutomatically: t.boolean({
      description: 'Whether the service exchanges an expired access token without a member.',
      resolve: ({ state }) => state?.canRefresh ?? false,
    }),
  }),
});

function stateOf(state: SignInState | null): IntegrationSignInState {
  if (!state) return 'not_needed';
  if (state.status === 'needed') return 'needed';
  return state.problem === null ? 'signed_in' : 'incomplete';
}

function dateOf(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}

builder.objectField(IntegrationNode, 'signIn', (t) =>
  t.field({
    type: SignInRef,
    nullable: true,
    description: 'The sign-in to the MCP server. Null: the integration is an HTTP API.',
    resolve: ({ kind, signIn }) => (kind === 'mcp' ? { state: signIn } : null),
  }),
);

mutation('signInToIntegration', {
  publishing: 'never',
  access: { scope: 'integrations:manage' },
  extensions: OUTBOUND.extensions satisfies CostExtensions,
  description: `Starts the sign-in of a member to an MCP server with OAuth. Open \`authorizationUrl\` in the browser that sends this mutation, within ${LIMITS.integrationSignInMinutes} minutes. The workflows of the environment then use the member's access. API keys cannot sign in. Scope: integrations:manage.`,
  input: inputType(SIGN_IN_TO_INTEGRATION),
  errors: ['invalid_request', 'not_found'],
  resolve: async ({ id, ...client }, context) => {
    const { cookie, until, ...started } = await startIntegrationSignIn(context.domain, id, client);
    context.keepIntegrationSignIn(cookie, until);
    return started;
  },
  payload: (t) => ({
    authorizationUrl: t.exposeString('authorizationUrl', {
      description: 'The page of the authorization server. It sends the browser back to the dashboard.',
    }),
    integration: t.field({
      type: IntegrationNode,
      description: 'The integration that the sign-in is for.',
      resolve: ({ integration }) => integration,
    }),
  }),
});

mutation('signOutOfIntegration', {
  publishing: 'never',
  access: { scope: 'integrations:manage' },
  extensions: OUTBOUND.extensions satisfies CostExtensions,
  description:
    'Deletes the tokens and the client ID of an MCP server, and revokes the tokens if the authorization server can. Scope: integrations:manage.',
  input: inputType(SIGN_OUT_OF_INTEGRATION),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id }, { domain }) => signOutOfIntegration(domain, id),
  payload: (t) => integrationField(t, 'The integration without its sign-in.'),
});
