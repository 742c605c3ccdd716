/** The texts of conversations that a person takes over, in English. */
export const handling = {
  joined: (name: string) => `${name} has joined`,
  waiting: 'Waiting for a person…',
  assistantBack: 'The assistant is back',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name} is typing…`,
};
