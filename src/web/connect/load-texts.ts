import type { Language } from '../../contract/branding/languages.ts';
import type { ConnectTexts } from '../texts/connect/en.ts';

/** Loads the texts of the page in one language. */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly connect: ConnectTexts }>>> = {
  en: () => import('../texts/connect/en.ts'),
  de: () => import('../texts/connect/de.ts'),
  es: () => import('../texts/connect/es.ts'),
  fr: () => import('../texts/connect/fr.ts'),
  ar: () => import('../texts/connect/ar.ts'),
  ja: () => import('../texts/connect/ja.ts'),
  pt: () => import('../texts/connect/pt.ts'),
  zh: () => import('../texts/connect/zh.ts'),
};

export const loadConnectTexts = async (language: Language): Promise<ConnectTexts> =>
  (await LOADERS[language]()).connect;
