import { LIMITS } from '../../../contract/limits.ts';

/** The name that an app gives itself, without what could mislead a reader. Undefined: it gives no name. */
export function appName(name: unknown): string | undefined {
  const text =
    typeof name === 'string'
      ? name
          .slice(0, MAX_READ)
          .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
          .trim()
      : '';
  return text === '' ? undefined : text.slice(0, LIMITS.appNameLength).toWellFormed();
}

/** Characters that are cleaned. The rest of a longer name is cut anyway. */
const MAX_READ = LIMITS.appNameLength * 10;
