import { expect, it } from 'vitest';
import { SecretBox } from '../../src/domain/secret-box.ts';

const OLD = 'an old secret that is long enough to be one';
const NEW = 'a new secret that is long enough to be one';

it('opens a sealed secret only for its owner, and does not reveal it', () => {
  const box = new SecretBox(OLD);
  const sealed = box.seal('a secret: ü', 'int_1');
  expect(box.open(sealed, 'int_1')).toBe('a secret: ü');
  expect(Buffer.from(sealed).toString('latin1')).not.toContain('secret');
  expect(Buffer.from(sealed).equals(Buffer.from(box.seal('a secret: ü', 'int_1')))).toBe(false);
  expect(() => box.open(sealed, 'int_2')).toThrow();
});

it('rejects a sealed value with any byte changed or removed', () => {
  const box = new SecretBox(OLD);
  const sealed = box.seal('secret', 'int_1');
  for (const index of sealed.keys()) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.open(changed, 'int_1')).toThrow();
    expect(() => box.open(sealed.subarray(0, index), 'int_1')).toThrow();
  }
});

it('opens older values after a change of SECRET_KEY only with the previous keys', () => {
  const sealed = new SecretBox(OLD).seal('secret', 'int_1');
  expect(new SecretBox(NEW, [OLD]).open(sealed, 'int_1')).toBe('secret');
  expect(() => new SecretBox(NEW).open(sealed, 'int_1')).toThrow('SECRET_KEYS_BEFORE');
});
