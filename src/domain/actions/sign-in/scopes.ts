/** The scopes of a text, each once. */
export function scopesIn(...texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.split(/\s+/) ?? []).filter((scope) => scope !== ''))];
}
