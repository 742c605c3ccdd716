import { pluralsOf } from '../plurals.ts';
import type { Failures } from './en.ts';

const plural = pluralsOf('de');
export const seconds = (count: number) => plural(count, { one: '1 Sekunde', other: `${count} Sekunden` });

export const failures: Failures = {
  missing: {
    notFound: 'Seite nicht gefunden',
    notFoundAdvice: 'Der Link ist vielleicht veraltet, oder dieser Assistent ist ausgeschaltet.',
    limited: 'Zu viele Anfragen',
    limitedAdvice: 'Warten Sie eine Minute und laden Sie diese Seite dann neu.',
    unavailable: 'Dienst nicht verfügbar',
    unavailableAdvice: 'Laden Sie diese Seite gleich noch einmal.',
    otherAdvice: 'Laden Sie sie gleich noch einmal.',
  },
  errors: {
    budget_reached: 'Der Assistent macht eine Pause. Versuchen Sie es später erneut.',
    client_action_required: 'Der Assistent wartet in einem anderen Fenster auf eine Antwort.',
    connection_error: 'Die Verbindung wurde unterbrochen.',
    conversation_completed: 'Diese Unterhaltung ist beendet.',
    forbidden: 'Sie haben keinen Zugriff.',
    contentRejected: (limit) =>
      `Diese Nachricht kann nicht gesendet werden. Sie hat mehr als ${limit} Zeichen oder eine Datei, die sich nicht lesen lässt.`,
    invalid_request: 'Der Dienst hat die Eingabe abgelehnt. Ändern Sie sie und versuchen Sie es erneut.',
    fork_too_large: 'Diese Unterhaltung ist zu lang für eine Kopie. Wählen Sie eine frühere Antwort.',
    message_superseded: 'Diese Nachricht wurde in einem anderen Fenster ersetzt.',
    model_error: 'Der Assistent konnte nicht antworten.',
    model_timeout: 'Der Assistent hat zu lange für die Antwort gebraucht.',
    not_found: 'Diese Unterhaltung ist nicht mehr verfügbar.',
    origin_not_allowed: 'Dieser Assistent ist auf dieser Website nicht verfügbar.',
    challenge_required: 'Der Assistent konnte nicht prüfen, ob Sie ein Mensch sind. Laden Sie die Seite neu.',
    other: 'Etwas ist schiefgegangen.',
    payload_too_large: 'Diese Nachricht ist zu groß.',
    rateLimited: (count) => `Zu viele Nachrichten. Warten Sie ${seconds(count)} und versuchen Sie es dann erneut.`,
    rateLimitedLong: 'Zu viele Nachrichten. Warten Sie eine Minute und versuchen Sie es dann erneut.',
    request_in_progress: 'Der Assistent arbeitet noch an dieser Nachricht.',
    run_failed: 'Der Assistent konnte nicht antworten. Ihre Nachricht ist gespeichert.',
    run_in_progress: 'Der Assistent arbeitet noch an einer früheren Nachricht.',
    trigger_expired: 'Dieser Link ist abgelaufen.',
    trigger_required: 'Dieser Assistent benötigt einen Link.',
    unauthorized: 'Ihre Sitzung ist abgelaufen.',
    unavailable: 'Der Dienst ist gerade nicht verfügbar.',
    action_expired: 'Die Zeit für die Antwort ist abgelaufen.',
    action_result_conflict: 'Das wurde in einem anderen Fenster beantwortet.',
    internal_error: 'Im Dienst ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
    invalid_response: 'Der Dienst ist gerade nicht verfügbar.',
    run_expired: 'Die Zeit für die Antwort ist abgelaufen.',
    run_interrupted: 'Der Assistent wurde unterbrochen. Ihre Nachricht ist gespeichert.',
    timeout: 'Der Dienst hat zu lange für die Antwort gebraucht.',
    trigger_already_used: 'Dieser Link wurde bereits verwendet.',
  },
};
