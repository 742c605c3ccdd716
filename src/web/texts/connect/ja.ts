import type { ConnectTexts } from './en.ts';

/** The texts of the page that connects assistants, in Japanese. */
export const connect: ConnectTexts = {
  title: 'アシスタントを接続',
  asks: (deployment) => `が、${deployment}との会話へのアクセスを求めています。`,
  who: 'リクエスト元',
  name: '名前',
  nameNote: 'この名前はアプリ自身が付けたものです。',
  website: 'ウェブサイト',
  verified: 'このアドレスは確認済みです。',
  unverified: '未確認',
  goesTo: 'アクセス権の付与先',
  thisComputer: (host) => `このコンピューター上のプログラム（${host}）`,
  loopbackWarning: 'このコンピューター上のプログラムがアクセス権を得ます。どのプログラムかを確認することはできません。',
  unverifiedWarning: (host) => `このアプリは確認されていません。${host}の所有者がアクセス権を得ます。`,
  onlyIfStarted: 'ご自身がたった今この接続を始めた場合にのみ許可してください。',
  account: 'あなたのアカウント',
  signedIn: (issuer) => `${issuer}でログイン済み`,
  notYou: 'ご本人ではありませんか？拒否してからそちらでログアウトし、アプリでやり直してください。',
  canDo: 'アプリに許可される操作',
  read: '会話を読む',
  write: 'あなたの名前でメッセージを送信し、会話を変更する',
  lasts: (days) => `アクセス権は${days}日後に終了します。それより早く終了するには、アプリで接続を解除してください。`,
  allow: '許可',
  deny: '拒否',
  decided:
    'アプリはあなたの回答に従って続行します。アプリが開かない場合は、ご自身でアプリに戻ってください。その後、このページを閉じてかまいません。',
  failed: '回答を保存できませんでした。もう一度お試しください。',
  signInAgain: 'もう一度ログイン',
  expired: 'ログインの有効期限が切れました。',
  unknown:
    'ここで決定することはありません。アプリのリクエストが古いか、回答済みか、別のブラウザーで開始されました。アプリでもう一度接続してください。',
  signInFailed: 'ログインできませんでした。もう一度試すか、アプリで接続し直してください。',
  signInDenied: 'ログインがキャンセルまたは拒否されました。',
};
