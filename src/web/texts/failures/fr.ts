import { pluralsOf } from '../plurals.ts';
import type { Failures } from './en.ts';

const plural = pluralsOf('fr');
export const seconds = (count: number) => plural(count, { one: `${count} seconde`, other: `${count} secondes` });

export const failures: Failures = {
  missing: {
    notFound: 'Page introuvable',
    notFoundAdvice: 'Le lien est peut-être périmé, ou cet assistant est désactivé.',
    limited: 'Trop de requêtes',
    limitedAdvice: 'Attendez une minute, puis rechargez cette page.',
    unavailable: 'Service indisponible',
    unavailableAdvice: 'Rechargez cette page dans un instant.',
    otherAdvice: 'Rechargez-la dans un instant.',
  },
  errors: {
    budget_reached: 'L’assistant fait une pause. Réessayez plus tard.',
    client_action_required: 'L’assistant attend une réponse dans une autre fenêtre.',
    connection_error: 'La connexion a été perdue.',
    conversation_completed: 'Cette conversation est terminée.',
    forbidden: 'Vous n’avez pas accès.',
    contentRejected: (limit) =>
      `Ce message ne peut pas être envoyé. Il a plus de ${limit} caractères, ou un fichier illisible.`,
    invalid_request: 'Le service a refusé la saisie. Modifiez-la, puis réessayez.',
    fork_too_large: 'Cette conversation est trop longue pour être copiée. Choisissez une réponse antérieure.',
    message_superseded: 'Ce message a été remplacé dans une autre fenêtre.',
    model_error: 'L’assistant n’a pas pu répondre.',
    model_timeout: 'L’assistant a mis trop de temps à répondre.',
    not_found: 'Cette conversation n’est plus disponible.',
    origin_not_allowed: 'Cet assistant n’est pas disponible sur ce site.',
    challenge_required: 'L’assistant n’a pas pu vérifier que vous n’êtes pas un robot. Rechargez la page.',
    other: 'Une erreur s’est produite.',
    payload_too_large: 'Ce message est trop volumineux.',
    rateLimited: (count) => `Trop de messages. Attendez ${seconds(count)}, puis réessayez.`,
    rateLimitedLong: 'Trop de messages. Attendez une minute, puis réessayez.',
    request_in_progress: 'L’assistant travaille encore sur ce message.',
    run_failed: 'L’assistant n’a pas pu répondre. Votre message est enregistré.',
    run_in_progress: 'L’assistant travaille encore sur un message précédent.',
    trigger_expired: 'Ce lien a expiré.',
    trigger_required: 'Cet assistant nécessite un lien.',
    unauthorized: 'Votre session a expiré.',
    unavailable: 'Le service n’est pas disponible pour le moment.',
    action_expired: 'Le délai de réponse est écoulé.',
    action_result_conflict: 'La réponse a été donnée dans une autre fenêtre.',
    internal_error: 'Une erreur s’est produite dans le service. Réessayez dans un instant.',
    invalid_response: 'Le service n’est pas disponible pour le moment.',
    run_expired: 'Le délai de réponse est écoulé.',
    run_interrupted: 'L’assistant a été interrompu. Votre message est enregistré.',
    timeout: 'Le service a mis trop de temps à répondre.',
    trigger_already_used: 'Ce lien a déjà été utilisé.',
  },
};
