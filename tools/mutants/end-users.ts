import type { Mutant } from './mutant.ts';

const REACH = 'domain/access/reach.ts';
const JWT_TEST = 'spec/end-user-jwts.test.ts';
const ANONYMOUS = 'domain/access/anonymous.ts';

/** Guards of end users, their tokens and their conversations. */
export const END_USERS: readonly Mutant[] = [
  {
    name: 'an expired token of an end user is accepted',
    file: 'domain/access/end-users/end-user-caller.ts',
    find: 'AND t.expires_at > now()',
    replace: '',
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'an end user reaches conversations of other users',
    file: REACH,
    find: 'Prisma.sql` AND ${name}.end_user = ${endUser}`',
    replace: 'Prisma.sql` AND ${name}.end_user IS NOT NULL AND ${endUser}::text IS NOT NULL`',
    test: 'spec/end-user-conversations.test.ts',
  },
  {
    name: 'a caller without credentials reads a conversation of an end user',
    file: ANONYMOUS,
    find: 'WHERE id = ${conversationId}::uuid AND end_user IS NULL))`',
    replace: 'WHERE id = ${conversationId}::uuid))`',
    test: 'spec/end-user-conversations.test.ts',
  },
  {
    name: 'a caller without credentials continues a conversation of an end user',
    file: 'operation/authorize.ts',
    find: 'if (isOwned) outOfReach',
    replace: "if (isOwned && root.name === '') outOfReach",
    test: 'spec/end-user-conversations.test.ts',
  },
  {
    name: 'a conversation of an end user has no owner',
    file: 'domain/agent/accept/accept.ts',
    find: "ctx.caller.kind === 'end_user' ? ctx.caller.endUser : null",
    replace: "ctx.caller.kind === 'end_user' ? null : null",
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'a default value hides the conversation of a request',
    file: 'operation/plan.ts',
    find: 'const values = { ...defaults, ...variables };',
    replace: 'const values = defaults ? variables : {};',
    test: 'spec/end-user-conversations.test.ts',
  },
  {
    name: 'a stream outlives the revoked token of an end user',
    file: 'domain/access/end-users/end-user-tokens.ts',
    find: 'ctx.services.pubSub.publish(endUserTopic(ctx.environment.id, endUser));',
    replace: 'void endUserTopic;',
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'end users make one-shot runs that belong to nobody',
    file: 'operation/reach.ts',
    find: " || (ownerless && caller.kind === 'end_user')",
    replace: '',
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'end users share idempotency keys',
    file: 'operation/idempotency.ts',
    find: 'JSON.stringify([caller.deploymentIds, caller.endUser])',
    replace: 'JSON.stringify([caller.deploymentIds])',
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'turns of end users are not counted',
    file: 'domain/agent/accept/turn-limits.ts',
    find: "if (caller.kind === 'end_user') await count",
    replace: "if (caller.kind === 'end_user' && !id) await count",
    test: 'spec/end-users.test.ts',
  },
  {
    name: 'an erasure deletes a conversation while its turn is running',
    file: 'domain/conversations/erase-end-user.ts',
    find: "SELECT FROM run r WHERE r.conversation_id = c.id AND r.environment_id = c.environment_id AND r.status = 'running')",
    replace: 'SELECT FROM run r WHERE r.conversation_id IS NULL)',
    test: 'spec/erase-end-user.test.ts',
  },
  {
    name: 'an erasure reaches the conversations of every user',
    file: 'domain/conversations/erase-end-user.ts',
    find: 'AND c.end_user = ${endUser} AND NOT EXISTS',
    replace: 'AND c.end_user IS NOT NULL AND ${endUser}::text IS NOT NULL AND NOT EXISTS',
    test: 'spec/erase-end-user.test.ts',
  },
  {
    name: 'the audit log names an end user',
    file: 'domain/access/end-users/end-user-digest.ts',
    find: 'return `end_user_${secretBox.digest(`${environment.id} ${endUser}`)}`;',
    replace: 'return `end_user_${secretBox.digest(environment.id).length > 0 ? endUser : 0}`;',
    test: 'spec/erase-end-user.test.ts',
  },
  {
    name: 'a revoked JWT is accepted',
    file: 'domain/access/end-users/jwt-caller.ts',
    find: ' || isRevoked(issuedAt, row.revoked_at)',
    replace: '',
    test: JWT_TEST,
  },
  {
    name: 'a JWT has scopes that its claim does not name',
    file: 'domain/access/end-users/jwt-caller.ts',
    find: 'END_USER_SCOPES.filter((scope) => named.includes(scope))',
    replace: 'END_USER_SCOPES.filter(() => named.length >= 0)',
    test: JWT_TEST,
  },
  {
    name: 'a JWT is accepted for a few seconds after its expiry',
    file: 'identity/jwt.ts',
    find: 'if (expiresAt.getTime() <= Date.now()) return undefined;',
    replace: '',
    test: JWT_TEST,
  },
  {
    name: 'a JWT can have any size',
    file: 'identity/jwt.ts',
    find: 'token.length > LIMITS.endUserJwtLength || ',
    replace: '',
    test: JWT_TEST,
  },
  {
    name: 'each JWT with an unknown key causes a request for the keys',
    file: 'identity/jwks-cache.ts',
    find: 'if (keys) entry.quietUntil = keys.readAt + COOL_DOWN_MS;',
    replace: 'void keys;',
    test: JWT_TEST,
  },
  {
    name: 'each JWT causes a request for keys that could not be read',
    file: 'identity/jwks-cache.ts',
    find: 'entry.quietUntil = this.#monotonicMs() + COOL_DOWN_MS;',
    replace: '',
    test: JWT_TEST,
  },
  {
    name: 'the stream of a JWT outlives its issuer',
    file: 'domain/access/caller-ends.ts',
    find: '[ofUser, credentialTopic(caller.jwt.issuerId)]',
    replace: '[ofUser]',
    test: JWT_TEST,
  },
];
