/** The languages of hosted pages and the widget. `src/web/texts` has a catalogue for each. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ar', 'ja', 'pt', 'zh'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The name of each language: in English, and in the language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, { readonly english: string; readonly own: string }>> = {
  en: { english: 'English', own: 'English' },
  de: { english: 'German', own: 'Deutsch' },
  es: { english: 'Spanish', own: 'Español' },
  fr: { english: 'French', own: 'Français' },
  ar: { english: 'Arabic', own: 'العربية' },
  ja: { english: 'Japanese', own: '日本語' },
  pt: { english: 'Portuguese', own: 'Português' },
  zh: { english: 'Simplified Chinese', own: '简体中文' },
};

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

/** The direction in which a language is written. `tag` is a language or a variant of it, like `ar-EG`. */
export const directionOf = (tag: string): 'ltr' | 'rtl' => (isIn('ar', tag) ? 'rtl' : 'ltr');

const isIn = (language: Language, tag: string) => tag.toLowerCase().split('-')[0] === language;
