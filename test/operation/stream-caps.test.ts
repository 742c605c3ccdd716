import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/contract/errors.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { StreamCaps } from '../../src/operation/stream-caps.ts';

const environment = { id: 'e', kind: 'live', workspaceId: 'w' } as const;
const key = { kind: 'api_key', id: 'k', environment } as Caller;
const endUser = (name: string) => ({ kind: 'end_user', id: 't', endUser: name, environment }) as Caller;

describe('the open streams of a process', () => {
  it('leave places to callers of the workspace when strangers have taken theirs', () => {
    const caps = new StreamCaps(8);
    const leave = caps.enter(undefined, '192.0.2.1');
    for (let number = 2; number <= 5; number += 1) caps.enter(undefined, `192.0.2.${number}`);
    caps.enter(endUser('ann'), '');
    expect(() => caps.enter(endUser('bob'), '')).toThrow(ServiceError);
    for (let number = 0; number < 2; number += 1) caps.enter(key, '');
    expect(() => caps.enter(key, '')).toThrow(/too many open streams/);
    leave();
    leave();
    caps.enter(endUser('bob'), '');
    expect(() => caps.enter(key, '')).toThrow(/too many open streams/);
  });

  it('of one address have a limit of their own', () => {
    const caps = new StreamCaps();
    for (let number = 0; number < LIMITS.streamsOfPerson; number += 1) caps.enter(undefined, '2001:db8::1');
    expect(() => caps.enter(undefined, '2001:db8::2')).toThrow(/maximum of 100 open streams/);
    caps.enter(undefined, '2001:db8:0:1::1');
  });
});
