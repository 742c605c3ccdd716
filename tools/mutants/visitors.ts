import type { Mutant } from './mutant.ts';

const TEST = 'spec/visitor-challenges.test.ts';
const LIMITS = 'domain/agent/limits/turn-limits.ts';
const CHALLENGE = 'domain/access/challenges/require-challenge.ts';
const SEALED = 'domain/access/challenges/sealed-time.ts';
const PROVIDER = 'identity/challenges.ts';

/** Guards of the limits and the challenges of callers without credentials. */
export const VISITORS: readonly Mutant[] = [
  {
    name: 'the turns of an address in many conversations are not counted together',
    file: 'operation/rate-limits.ts',
    find: '} else {\n      await this.countByAddress(conversationId ?',
    replace: '} else if (!conversationId) {\n      await this.countByAddress(conversationId ?',
    test: 'spec/anonymous-limits.test.ts',
  },
  {
    name: 'only the first root field of a stranger counts',
    file: 'operation/authorize.ts',
    find: 'if (!identity.caller) await countField(counter, other, root, address);',
    replace: '',
    test: 'spec/anonymous-limits.test.ts',
  },
  {
    name: 'a visitor starts without a solved challenge',
    file: LIMITS,
    find: "if (typeof conversationId !== 'string') await requireChallenge(ctx, deployment);",
    replace: '',
    test: TEST,
  },
  {
    name: 'a visitor with an ID of their own starts without a solved challenge',
    file: LIMITS,
    find: 'const { services, request, caller } = ctx;\n  await requireChallenge(ctx, deployment);',
    replace: 'const { services, request, caller } = ctx;',
    test: TEST,
  },
  {
    name: 'a visitor starts without end with one solution',
    file: CHALLENGE,
    find: ' || !(await countUse(ctx, token))',
    replace: '',
    test: TEST,
  },
  {
    name: 'a visitor uses a solution of another address',
    file: CHALLENGE,
    find: 'const holder = `${id} ${addressKey(ctx.request.address)}`;',
    replace: 'const holder = `${id}`;',
    test: TEST,
  },
  {
    name: 'a visitor sends any number as a proof of work',
    file: 'domain/access/challenges/proof-of-work.ts',
    find: " || !hasZeroBits(hash('sha256', solution, 'buffer'))",
    replace: '',
    test: TEST,
  },
  {
    name: 'a visitor uses an expired solution',
    file: SEALED,
    find: 'Number(secretBox.open(sealed, owner)) > now.getTime()',
    replace: "secretBox.open(sealed, owner) !== '' || now",
    test: TEST,
  },
  {
    name: 'a visitor writes a pass in several ways',
    file: SEALED,
    find: "if (sealed.toString('base64url') !== token) return false;",
    replace: '',
    test: TEST,
  },
  {
    name: 'a visitor makes the service ask the provider without a limit',
    file: CHALLENGE,
    find: 'await countRequest(services.stores.rateLimiter, RATE_LIMITS.challengeChecks, address, request.reportLimit);',
    replace: 'void [countRequest, RATE_LIMITS, address];',
    test: TEST,
  },
  {
    name: 'a visitor is admitted although the provider failed',
    file: PROVIDER,
    find: 'if (reply.status === 200) return',
    replace: 'return',
    test: TEST,
  },
  {
    name: 'a visitor without a cookie has no limit of turns',
    file: LIMITS,
    find: '`${id}:${addressKey(request.address)}`, ...(visitor',
    replace: '...(visitor',
    test: TEST,
  },
  {
    name: 'a visitor gets a new count of turns with another address',
    file: LIMITS,
    find: ', ...(visitor ? [`${id}:visitor:${visitor.id}`] : [])',
    replace: '',
    test: TEST,
  },
];
