import type { ConnectTexts } from './en.ts';

/** The texts of the page that connects assistants, in French. */
export const connect: ConnectTexts = {
  title: 'Connecter un assistant',
  asks: (deployment) => `demande l’accès à vos conversations avec ${deployment}.`,
  who: 'Qui demande',
  name: 'Nom',
  nameNote: 'L’application se donne ce nom elle-même.',
  website: 'Site web',
  verified: 'Cette adresse a été vérifiée.',
  unverified: 'Non vérifié',
  goesTo: 'L’accès est pour',
  thisComputer: (host) => `Un programme de cet ordinateur (${host})`,
  loopbackWarning: 'Un programme de cet ordinateur reçoit l’accès, et personne ne peut vérifier lequel.',
  unverifiedWarning: (host) => `Personne n’a vérifié cette application. Le propriétaire de ${host} reçoit l’accès.`,
  onlyIfStarted: 'Ne l’autorisez que si vous venez de commencer cette connexion vous-même.',
  account: 'Votre compte',
  signedIn: (issuer) => `Connecté chez ${issuer}`,
  notYou: 'Ce n’est pas vous ? Refusez, déconnectez-vous là-bas et recommencez dans l’application.',
  canDo: 'Ce que l’application peut faire',
  read: 'Lire vos conversations',
  write: 'Envoyer des messages en votre nom et modifier vos conversations',
  lasts: (days) =>
    `L’accès se termine après ${days} jours. Pour y mettre fin plus tôt, déconnectez-vous dans l’application.`,
  allow: 'Autoriser',
  deny: 'Refuser',
  decided:
    'L’application continue avec votre réponse. Si elle ne s’ouvre pas, revenez-y vous-même. Vous pouvez ensuite fermer cette page.',
  failed: 'Votre réponse n’a pas pu être enregistrée. Réessayez.',
  signInAgain: 'Se connecter de nouveau',
  expired: 'Votre connexion n’est plus valable.',
  unknown:
    'Il n’y a rien à décider ici. La demande de l’application est trop ancienne, a reçu une réponse ou a commencé dans un autre navigateur. Connectez-vous de nouveau dans l’application.',
  signInFailed: 'La connexion n’a pas fonctionné. Réessayez, ou recommencez dans l’application.',
  signInDenied: 'La connexion a été annulée ou refusée.',
};
