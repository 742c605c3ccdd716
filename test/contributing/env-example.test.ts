import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { envExample } from '../../tools/env-example.ts';

describe('.env.example', () => {
  it('matches the table of variables; otherwise run npm run env-example', () => {
    expect(readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8')).toBe(envExample());
  });
});
