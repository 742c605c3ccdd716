import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import type { Role } from '../../../contract/roles.ts';
import { Prisma, type SsoProvider } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { OIDC, UPDATE_SIGN_IN_SETTINGS } from '../../../shapes/sign-in-settings.ts';
import { requireAddress } from '../../address.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { SessionCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { appsOfMembers, byCaller, endApps } from '../apps/end-apps.ts';
import { administerMembers, requireMayTouch } from '../member-rules.ts';
import { changeFactorRule } from '../second-factors/rule.ts';
import { endSessions, publishSessionChanges } from '../sessions.ts';
import { oidcIssuer } from './oidc-issuer.ts';
import { type RoleMapping, redirectUri, roleMapOf, secretOwner } from './provider.ts';

const { defaultRole } = OIDC.fields;

const oidcInput = z.object({
  ...rulesOf(OIDC.fields),
  issuer: oidcIssuer,
  defaultRole: defaultRole.rule.check(
    z.refine((role) => role !== 'owner', 'must not be owner: map a value to owner instead'),
  ),
});

const settingsInput = z.object({ ...rulesOf(UPDATE_SIGN_IN_SETTINGS.fields), oidc: oidcInput.nullish() });

/** How members of a workspace sign in. No API returns the client secret. */
export interface SignInSettings {
  /** Null: members sign in with a password. */
  readonly oidc: OidcSettings | null;
  /** Whether passwords do not open sessions of the workspace. */
  readonly ssoOnly: boolean;
  /** Whether members who sign in with a password need a second factor. */
  readonly secondFactorRequired: boolean;
  /** The domains that the operator assigned. */
  readonly domains: readonly string[];
  readonly redirectUri: string;
}

export interface OidcSettings extends Pick<SsoProvider, 'issuer' | 'clientId' | 'roleClaim' | 'jitMembership'> {
  readonly roleMap: readonly RoleMapping[];
  readonly defaultRole: Role;
}

export async function readSignInSettings({ db, environment, services }: Context): Promise<SignInSettings> {
  const { workspaceId } = environment;
  const [provider, workspace, domains] = await Promise.all([
    db.ssoProvider.findUnique({ where: { workspaceId } }),
    db.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { secondFactorRequired: true } }),
    db.signInDomain.findMany({ select: { domain: true }, orderBy: { domain: 'asc' } }),
  ]);
  return {
    oidc: provider && { ...provider, roleMap: roleMapOf(provider) },
    ssoOnly: provider?.required ?? false,
    ...workspace,
    domains: domains.map(({ domain }) => domain),
    redirectUri: redirectUri(services, workspaceId),
  };
}

/**
 * Changes how members sign in. Only an owner can change the provider, because the provider can sign in as any member.
 * @throws {ServiceError} invalid_request, forbidden
 */
export async function updateSignInSettings(ctx: Context, input: unknown): Promise<SignInSettings> {
  const { oidc, ssoOnly, secondFactorRequired } = parseInput(settingsInput, input);
  if (oidc) await requireAddress(ctx, oidc.issuer, ['oidc', 'issuer']);
  const ended = await administerMembers(ctx, async (tx, actor, caller) => {
    const { workspaceId } = ctx.environment;
    const before = await tx.ssoProvider.findUnique({ where: { workspaceId } });
    if (oidc !== undefined) requireMayTouch(actor, 'owner', 'oidc');
    const after = oidc === undefined ? before : await saveProvider(ctx, tx, before, oidc);
    const required = oidc === null ? false : (ssoOnly ?? before?.required ?? false);
    if (required) await requireLink(tx, caller, after);
    if (after) await tx.ssoProvider.update({ where: { workspaceId }, data: { required } });
    const unproven = await changeFactorRule(ctx, tx, { actor, caller }, secondFactorRequired);
    const details = {
      ...auditedOf(after),
      sso_only: required,
      secret_changed: oidc?.clientSecret != null,
      second_factor_required: secondFactorRequired ?? undefined,
    };
    const entry = { action: 'sign_in_settings.updated', subjectId: workspaceId, details, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    if (!required || before?.required) return unproven;
    // Sessions that a password opened before, and the apps that they allowed, would outlast the change.
    const others = Prisma.sql`workspace_id = ${workspaceId}::uuid AND NOT single_sign_on AND id <> ${caller.id}::uuid`;
    const sessions = await endSessions(ctx, tx, others);
    const apps = await endApps(byCaller(ctx), tx, appsOfMembers(workspaceId));
    return [...unproven, ...sessions, ...apps];
  });
  publishSessionChanges(ctx, ended);
  return readSignInSettings(ctx);
}

/** The settings in the audit log. */
function auditedOf(provider: SsoProvider | null): object {
  if (!provider) return { issuer: null };
  const { issuer, clientId, roleClaim, roleMap, defaultRole, jitMembership } = provider;
  const roles = { role_claim: roleClaim, role_map: roleMap, default_role: defaultRole };
  return { issuer, client_id: clientId, ...roles, jit_membership: jitMembership };
}

/** Checks the provider with a new request. Returns undefined if it can be used. @throws {ServiceError} invalid_request */
export async function testSignInSettings({ db, environment, services }: Context): Promise<string | undefined> {
  const { workspaceId } = environment;
  const provider = await db.ssoProvider.findUnique({ where: { workspaceId } });
  if (provider) return services.ports.oidc.problemOf(provider.issuer);
  throw new ServiceError('invalid_request', 'The workspace has no provider. Save one first.');
}

async function saveProvider(
  { environment, services, now }: Context,
  tx: Transaction,
  before: SsoProvider | null,
  input: z.output<typeof oidcInput> | null,
): Promise<SsoProvider | null> {
  const { workspaceId } = environment;
  if (!input) {
    await tx.ssoProvider.deleteMany({ where: { workspaceId } });
    return null;
  }
  const { clientSecret, roleClaim = null, jitMembership, roleMap, ...fields } = input;
  // A stored secret goes only to the issuer that it was entered for.
  if (clientSecret == null && before?.issuer !== input.issuer) {
    throw new ServiceError('invalid_request', '{param} is required for a new issuer.', {
      param: ['oidc', 'clientSecret'],
    });
  }
  const data = {
    ...fields,
    roleClaim,
    roleMap: roleMap ?? [],
    jitMembership: jitMembership ?? false,
    updatedAt: now(),
  };
  if (clientSecret == null) return tx.ssoProvider.update({ where: { workspaceId }, data });
  const sealedClientSecret = services.settings.secretBox.seal(clientSecret, secretOwner(workspaceId));
  const row = { ...data, sealedClientSecret };
  return tx.ssoProvider.upsert({ where: { workspaceId }, create: { workspaceId, ...row }, update: row });
}

/** A provider that does not work would lock everybody out. */
async function requireLink(tx: Transaction, { user }: SessionCaller, provider: SsoProvider | null): Promise<void> {
  const { issuer } = provider ?? {};
  if (issuer !== undefined && (await tx.ssoIdentity.count({ where: { userId: user.id, issuer } })) > 0) return;
  const message = '{param} needs a provider with which you have signed in. Sign in with it once, then try again.';
  throw new ServiceError('invalid_request', message, { param: ['ssoOnly'] });
}
