import type { ConnectTexts } from '../texts/connect/en.ts';
import type { Language } from '../texts/languages.ts';

/** Loads the texts of the page in one language. */
export async function loadConnectTexts(language: Language): Promise<ConnectTexts> {
  if (language === 'de') return (await import('../texts/connect/de.ts')).connect;
  if (language === 'es') return (await import('../texts/connect/es.ts')).connect;
  if (language === 'fr') return (await import('../texts/connect/fr.ts')).connect;
  return (await import('../texts/connect/en.ts')).connect;
}
