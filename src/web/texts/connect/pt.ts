import type { ConnectTexts } from './en.ts';

/** The texts of the page that connects assistants, in Portuguese. */
export const connect: ConnectTexts = {
  title: 'Conectar um assistente',
  asks: (deployment) => `pede acesso às suas conversas com ${deployment}.`,
  who: 'Quem pede',
  name: 'Nome',
  nameNote: 'O próprio aplicativo escolheu este nome.',
  website: 'Site',
  verified: 'Este endereço foi verificado.',
  unverified: 'Não verificado',
  goesTo: 'O acesso vai para',
  thisComputer: (host) => `Um programa neste computador (${host})`,
  loopbackWarning: 'Um programa neste computador recebe o acesso, e ninguém pode verificar qual.',
  unverifiedWarning: (host) => `Ninguém verificou este aplicativo. O proprietário de ${host} recebe o acesso.`,
  onlyIfStarted: 'Permita somente se você mesmo acabou de iniciar esta conexão.',
  account: 'Sua conta',
  signedIn: (issuer) => `Conectado em ${issuer}`,
  notYou: 'Não é você? Recuse, saia da conta lá e comece de novo no aplicativo.',
  canDo: 'O que o aplicativo pode fazer',
  read: 'Ler suas conversas',
  write: 'Enviar mensagens em seu nome e alterar suas conversas',
  lasts: (days) => `O acesso termina depois de ${days} dias. Para encerrá-lo antes, desconecte no aplicativo.`,
  allow: 'Permitir',
  deny: 'Recusar',
  decided:
    'O aplicativo continua com a sua resposta. Se ele não abrir, volte a ele por conta própria. Depois você pode fechar esta página.',
  failed: 'Não foi possível salvar sua resposta. Tente novamente.',
  signInAgain: 'Entrar novamente',
  expired: 'Seu login não é mais válido.',
  unknown:
    'Não há nada para decidir aqui. O pedido do aplicativo é antigo demais, já foi respondido ou começou em outro navegador. Conecte novamente no aplicativo.',
  signInFailed: 'O login não funcionou. Tente novamente ou conecte outra vez no aplicativo.',
  signInDenied: 'O login foi cancelado ou recusado.',
};
