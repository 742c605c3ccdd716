import type { Request } from 'express';
import type { BrandingLanguage } from '../contract/branding/branding.ts';
import { languageOf, localeOf } from '../contract/branding/languages.ts';

/** The BCP 47 tag of a page for a browser. The script of the page finds the same one. */
export function pageLocale(setting: BrandingLanguage, request: Request): string {
  const preferred = request.acceptsLanguages();
  return localeOf(languageOf(setting, preferred), preferred);
}
