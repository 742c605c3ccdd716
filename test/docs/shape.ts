/**
 * How a shown output differs from a real one. Keys, types, and texts without digits must be equal. `…` in a text stands
 * for any text, as the last item of an array for further items, and as a key for further fields.
 */
export function differences(shown: unknown, real: unknown, path = '$'): string[] {
  if (shown === '…') return real === undefined ? [`${path} is missing`] : [];
  if (Array.isArray(shown)) return arrayDifferences(shown, real, path);
  if (typeof shown === 'object' && shown !== null) return objectDifferences(shown, real, path);
  if (typeof shown === 'string' && typeof real === 'string') {
    return isSameText(shown, real) ? [] : [`${path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
  }
  const isSame = typeof shown === 'number' ? typeof real === 'number' : shown === real;
  return isSame ? [] : [`${path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
}

/** Lines of plain text: each shown line must be a line of the real text, in this order. */
export function lineDifferences(shown: string, real: string): string[] {
  const lines = real.split('\n').map((line) => line.trimEnd());
  let next = 0;
  for (const line of shown.trimEnd().split('\n')) {
    const at = lines.findIndex((one, index) => index >= next && isSameText(line.trimEnd(), one));
    if (at < 0) return [`no line like ${JSON.stringify(line)} after line ${next} of:\n${real}`];
    next = at + 1;
  }
  return [];
}

function isSameText(shown: string, real: string): boolean {
  if (!shown.includes('…')) return shown === real || /\d/.test(shown);
  const pattern = shown.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/\d+/g, '\\d+');
  return new RegExp(`^${pattern.replaceAll('…', '.*')}$`, 's').test(real);
}

function arrayDifferences(shown: readonly unknown[], real: unknown, path: string): string[] {
  if (!Array.isArray(real)) return [`${path} is no array`];
  const isOpen = shown.at(-1) === '…';
  const items = isOpen ? shown.slice(0, -1) : shown;
  if (isOpen ? real.length < items.length : real.length !== items.length) {
    return [`${path} has ${real.length} items, not ${items.length}`];
  }
  return items.flatMap((item, index) => differences(item, real[index], `${path}[${index}]`));
}

function objectDifferences(shown: object, real: unknown, path: string): string[] {
  if (typeof real !== 'object' || real === null || Array.isArray(real)) return [`${path} is no object`];
  const { '…': open, ...fields } = shown as Record<string, unknown>;
  const unexpected = open === undefined ? Object.keys(real).filter((key) => !(key in fields)) : [];
  return [
    ...unexpected.map((key) => `${path}.${key} is not shown`),
    ...Object.entries(fields).flatMap(([key, value]) =>
      differences(value, (real as Record<string, unknown>)[key], `${path}.${key}`),
    ),
  ];
}
