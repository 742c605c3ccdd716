import type { Texts } from './en.ts';

/** The languages of the hosted pages. Each has a file of texts in this folder. */
export const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Loads the texts of one language, so that a page never loads the others. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'de') return (await import('./de.ts')).de;
  if (language === 'es') return (await import('./es.ts')).es;
  if (language === 'fr') return (await import('./fr.ts')).fr;
  return (await import('./en.ts')).en;
}

/** The language of a page: the configured one, or with `auto` the first that the user prefers and that has texts. */
export function languageOf(setting: 'auto' | Language, preferred: readonly string[]): Language {
  if (setting !== 'auto') return setting;
  for (const tag of preferred) {
    const match = LANGUAGES.find((language) => isIn(language, tag));
    if (match) return match;
  }
  return 'en';
}

/** How dates and numbers look: the user's variant of the language, like `de-CH`, or the language. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => isIn(language, tag)) ?? language;
}

const isIn = (language: Language, tag: string) => tag.toLowerCase().split('-')[0] === language;
