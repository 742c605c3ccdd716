import type { Language } from '../../contract/branding/languages.ts';
import type { Texts } from './en.ts';

/** Loads the texts of one language, so that a page never loads the others. */
const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  ar: async () => (await import('./ar.ts')).ar,
  ja: async () => (await import('./ja.ts')).ja,
  pt: async () => (await import('./pt.ts')).pt,
  zh: async () => (await import('./zh.ts')).zh,
};

export const loadTexts = (language: Language): Promise<Texts> => LOADERS[language]();
