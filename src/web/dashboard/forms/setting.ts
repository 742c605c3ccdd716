import type { Shape } from '../../../shapes/field.ts';

/**
 * Returns the properties of a form's field for a setting of the shape. Its label is the title of the setting. An empty number
 * shows what the service uses then, and `{range}` in the hint is replaced with its bounds.
 */
export function settingsOf<Fields extends Shape>(shape: Fields) {
  return <Name extends string & keyof Fields>(name: Name, hint: string) => {
    const field = shape[name];
    const label = field?.title ?? name;
    if (field?.kind !== 'integer' && field?.kind !== 'number') return { name, label, hint };
    return {
      ...{ name, label, hint: hint.replace('{range}', field.range ?? '') },
      inputMode: field.kind === 'integer' ? 'numeric' : 'decimal',
      placeholder: emptyText(String(field.byDefault ?? field.without ?? '')),
    } as const;
  };
}

/** The meaning of an empty field, as it stands in the field. */
function emptyText(meaning: string): string {
  const text = meaning.replace(/^the /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
