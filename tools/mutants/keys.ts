import type { Mutant } from './mutant.ts';

const KEY_CALLER = 'domain/access/keys/key-caller.ts';
const API_KEYS = 'domain/access/keys/api-keys.ts';
const INPUT = 'domain/access/keys/api-key-input.ts';
const REACH = 'operation/reach.ts';

/** Guards of API keys: their end, their restrictions, and the deployments that they are bound to. */
export const KEYS: readonly Mutant[] = [
  {
    name: 'a revoked API key is accepted',
    file: KEY_CALLER,
    find: 'AND k.revoked_at IS NULL',
    replace: '',
    test: 'spec/api-keys.test.ts',
  },
  {
    name: 'an expired API key is accepted',
    file: KEY_CALLER,
    find: 'AND (k.expires_at IS NULL OR k.expires_at > now())',
    replace: '',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'the previous secret of a key works after its overlap',
    file: KEY_CALLER,
    find: 'AND k.previous_expires_at > now()',
    replace: '',
    test: 'spec/key-rotation.test.ts',
  },
  {
    name: 'a stream with the previous secret outlives the overlap',
    file: KEY_CALLER,
    find: 'CASE WHEN k.token_hash <> ${tokenHash} THEN k.previous_expires_at END',
    replace: 'NULL',
    test: 'spec/key-rotation.test.ts',
  },
  {
    name: 'a second rotation keeps the oldest secret',
    file: API_KEYS,
    find: '...(rotatedApiKeyId !== id && previous(key)),',
    replace: '...(rotatedApiKeyId !== id && !key.previousTokenHash && previous(key)),',
    test: 'spec/key-rotation.test.ts',
  },
  {
    name: 'a repeated rotation ends the secret in use',
    file: API_KEYS,
    find: '...(rotatedApiKeyId !== id && previous(key)),',
    replace: '...previous(key),',
    test: 'spec/key-rotation.test.ts',
  },
  {
    name: 'a key works from every address',
    file: KEY_CALLER,
    find: 'if (!isInRanges(sender.address, ipRanges)) {',
    replace: 'if (!isInRanges(sender.address, [])) {',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'an IPv4 address on an IPv6 socket is in no range',
    file: 'domain/access/keys/ip-ranges.ts',
    find: 'ipaddr.process(text)',
    replace: 'ipaddr.parse(text)',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'every refused request of a key is audited',
    file: 'domain/access/credential-use.ts',
    find: 'AND (last_refused_at IS NULL OR last_refused_at < now() - make_interval(hours => ${AUDIT_INTERVAL_HOURS}))',
    replace: 'AND ${AUDIT_INTERVAL_HOURS}::int > 0',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'a stream outlives a change of the IP ranges of its key',
    file: 'domain/access/caller-ends.ts',
    find: 'isSame(key.allowedIpRanges, caller.ipRanges) && ',
    replace: '',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'a stream outlives a change of the deployments of its key',
    file: 'domain/access/caller-ends.ts',
    find: ' && isSame(key.deploymentIds, caller.deploymentIds)',
    replace: '',
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'a stream does not notice that its key expires earlier',
    file: 'domain/access/caller-watches.ts',
    find: '      arm(end);\n    };\n    const checkNow',
    replace: '      if (end === null) arm(end);\n    };\n    const checkNow',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'a key with scopes for the whole environment is bound to deployments',
    file: INPUT,
    find: 'if (excess === undefined) return;',
    replace: "if (excess !== 'everything') return;",
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'a change of a key that names no IP ranges removes them',
    file: INPUT,
    find: 'if (!texts) return texts;',
    replace: 'if (!texts) return [];',
    test: 'spec/key-restrictions.test.ts',
  },
  {
    name: 'a key is bound to a deployment of another workspace',
    file: INPUT,
    find: 'if (unknown < 0) return;',
    replace: 'if (unknown < 1_000) return;',
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'a bound key uses fields without a mark',
    file: REACH,
    find: 'if (!use || !scope || ',
    replace: 'if (!scope || ',
    test: 'spec/access-bound.test.ts',
  },
  {
    name: 'a bound key reaches other deployments',
    file: REACH,
    find: 'if (deploymentId && !reach.deploymentIds.includes(deploymentId)) return deploymentNotFound();',
    replace: '',
    test: 'spec/access-bound.test.ts',
  },
  {
    name: 'a bound key reaches conversations of other deployments',
    file: REACH,
    find: 'found?.inReach === false',
    replace: "typeof found?.inReach === 'string'",
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'a bound key follows edges to the whole environment',
    file: 'operation/context.ts',
    find: 'if (reachOf(caller)) throw outOfReach(caller);',
    replace: '',
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'the lists of a bound key show every conversation',
    file: 'domain/conversations/conditions.ts',
    find: 'filter.reach && conversationInReach(filter.reach),',
    replace: '',
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'a bound key gets stored responses of other keys',
    file: 'operation/idempotency.ts',
    find: 'return reachOf(caller) && `${caller.kind} ${caller.id}`;',
    replace: 'return undefined;',
    test: 'spec/bound-keys.test.ts',
  },
  {
    name: 'an invalid body shows a bound key that a conversation exists',
    file: 'operation/pipeline.ts',
    find: 'context.requireInReach();',
    replace: '',
    test: 'spec/bound-keys.test.ts',
  },
];
