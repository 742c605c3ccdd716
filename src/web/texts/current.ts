import type { Texts } from './en.ts';

interface Current {
  readonly texts: Texts;
  /** A BCP 47 language tag, for dates and numbers. Its digits are those of the texts. */
  readonly locale: string;
  readonly relativeTime: Intl.RelativeTimeFormat;
  readonly exactTime: Intl.DateTimeFormat;
  readonly decimal: Intl.NumberFormat;
}

let current: Current | undefined;

/** Sets the language of this document. `mount` calls it once, before anything is rendered. */
export function setTexts(texts: Texts, language: string): void {
  const locale = new Intl.Locale(language, { numberingSystem: 'latn' }).toString();
  current = {
    texts,
    locale,
    relativeTime: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    exactTime: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
    decimal: new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  };
}

/** The texts in the language of this document. Call it while rendering, not when a module loads. */
export const texts = (): Texts => language().texts;

/** The formats of the language of this document. */
export const formats = (): Omit<Current, 'texts'> => language();

function language(): Current {
  if (!current) throw new Error('The page has no texts yet. Pass them to mount.');
  return current;
}

/** The name of the format, the same in all languages. */
export const JSON_NAME = 'JSON';
