import type { ConnectTexts } from './en.ts';

/** The texts of the page that connects assistants, in German. */
export const connect: ConnectTexts = {
  title: 'Assistenten verbinden',
  asks: (deployment) => `möchte auf Ihre Unterhaltungen mit ${deployment} zugreifen.`,
  who: 'Wer fragt',
  name: 'Name',
  nameNote: 'Diesen Namen gibt sich die App selbst.',
  website: 'Website',
  verified: 'Diese Adresse wurde geprüft.',
  unverified: 'Nicht geprüft',
  goesTo: 'Zugriff erhält',
  thisComputer: (host) => `Ein Programm auf diesem Computer (${host})`,
  loopbackWarning: 'Ein Programm auf diesem Computer erhält den Zugriff. Niemand kann prüfen, welches.',
  unverifiedWarning: (host) => `Niemand hat diese App geprüft. Der Besitzer von ${host} erhält den Zugriff.`,
  onlyIfStarted: 'Erlauben Sie ihn nur, wenn Sie diese Verbindung gerade selbst begonnen haben.',
  account: 'Ihr Konto',
  signedIn: (issuer) => `Angemeldet bei ${issuer}`,
  notYou: 'Nicht Sie? Lehnen Sie ab, melden Sie sich dort ab, und beginnen Sie in der App neu.',
  canDo: 'Was die App darf',
  read: 'Ihre Unterhaltungen lesen',
  write: 'In Ihrem Namen Nachrichten senden und Ihre Unterhaltungen ändern',
  lasts: (days) =>
    `Der Zugriff endet nach ${days} Tagen. Um ihn früher zu beenden, trennen Sie die Verbindung in der App.`,
  allow: 'Erlauben',
  deny: 'Ablehnen',
  decided:
    'Die App fährt mit Ihrer Antwort fort. Wenn sie sich nicht öffnet, kehren Sie selbst zu ihr zurück. Diese Seite können Sie dann schließen.',
  failed: 'Ihre Antwort konnte nicht gespeichert werden. Versuchen Sie es noch einmal.',
  signInAgain: 'Erneut anmelden',
  expired: 'Ihre Anmeldung gilt nicht mehr.',
  unknown:
    'Hier gibt es nichts zu entscheiden. Die Anfrage der App ist zu alt, wurde beantwortet oder begann in einem anderen Browser. Verbinden Sie sich in der App neu.',
  signInFailed:
    'Die Anmeldung hat nicht funktioniert. Versuchen Sie es noch einmal, oder verbinden Sie sich in der App neu.',
  signInDenied: 'Die Anmeldung wurde abgebrochen oder abgelehnt.',
};
