import type { BrandingLanguage } from '../../contract/branding.ts';

/** The texts of the widget. */
export interface WidgetTexts {
  /** The name of the button, if neither the site nor the deployment sets one. */
  readonly label: string;
  readonly close: string;
  /** The deployment does not exist or is closed. */
  readonly unavailable: string;
  /** The deployment does not allow this site. */
  readonly siteNotAllowed: string;
  readonly unread: (count: number) => string;
}

type Language = Exclude<BrandingLanguage, 'auto'>;

const CATALOGUE: Readonly<Record<Language, WidgetTexts>> = {
  en: {
    label: 'Chat with us',
    close: 'Close',
    unavailable: 'This assistant is not available.',
    siteNotAllowed: 'This assistant is not available on this site.',
    unread: (count) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  },
  de: {
    label: 'Chatten Sie mit uns',
    close: 'Schließen',
    unavailable: 'Dieser Assistent ist nicht verfügbar.',
    siteNotAllowed: 'Dieser Assistent ist auf dieser Website nicht verfügbar.',
    unread: (count) => (count === 1 ? '1 ungelesene Nachricht' : `${count} ungelesene Nachrichten`),
  },
  es: {
    label: 'Chatee con nosotros',
    close: 'Cerrar',
    unavailable: 'Este asistente no está disponible.',
    siteNotAllowed: 'Este asistente no está disponible en este sitio.',
    unread: (count) => (count === 1 ? '1 mensaje sin leer' : `${count} mensajes sin leer`),
  },
  fr: {
    label: 'Discuter avec nous',
    close: 'Fermer',
    unavailable: 'Cet assistant n’est pas disponible.',
    siteNotAllowed: 'Cet assistant n’est pas disponible sur ce site.',
    unread: (count) => (count === 1 ? '1 message non lu' : `${count} messages non lus`),
  },
};

/** The first of the wishes that the catalogue has, else English. A wish is a language tag like `de-AT`. */
export function languageOf(wishes: readonly string[]): Language {
  const languages = wishes.map((wish) => wish.toLowerCase().split('-')[0]);
  return languages.find((language): language is Language => Object.hasOwn(CATALOGUE, language ?? '')) ?? 'en';
}

export function textsOf(language: Language): WidgetTexts {
  return CATALOGUE[language];
}
