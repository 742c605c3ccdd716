import type { Language } from '../../contract/branding/languages.ts';
import { pluralsOf } from '../texts/plurals.ts';

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
  ar: {
    label: 'تحدَّث معنا',
    close: 'إغلاق',
    unavailable: 'هذا المساعد غير متاح.',
    siteNotAllowed: 'هذا المساعد غير متاح في هذا الموقع.',
    unread: (count) =>
      pluralsOf('ar')(count, {
        one: 'رسالة واحدة غير مقروءة',
        two: 'رسالتان غير مقروءتين',
        few: `${count} رسائل غير مقروءة`,
        other: `${count} رسالة غير مقروءة`,
      }),
  },
  ja: {
    label: 'チャットで問い合わせる',
    close: '閉じる',
    unavailable: 'このアシスタントは利用できません。',
    siteNotAllowed: 'このアシスタントはこのサイトでは利用できません。',
    unread: (count) => `未読メッセージ${count}件`,
  },
  pt: {
    label: 'Fale conosco',
    close: 'Fechar',
    unavailable: 'Este assistente não está disponível.',
    siteNotAllowed: 'Este assistente não está disponível neste site.',
    unread: (count) => (count === 1 ? '1 mensagem não lida' : `${count} mensagens não lidas`),
  },
  zh: {
    label: '与我们聊天',
    close: '关闭',
    unavailable: '此助手不可用。',
    siteNotAllowed: '此助手在此网站上不可用。',
    unread: (count) => `${count} 条未读消息`,
  },
};

export function textsOf(language: Language): WidgetTexts {
  return CATALOGUE[language];
}
