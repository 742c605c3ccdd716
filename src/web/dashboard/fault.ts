import type { CombinedError } from 'urql';

/** What went wrong, as a person is told it. */
export interface Fault {
  readonly message: string;
  /** The service's code, or `connection_error` where no answer came. */
  readonly code: string;
  /** The field to blame, like `input.draft.model`. */
  readonly param: string | null;
}

/** The first fault of an answer. */
export function faultOf({ graphQLErrors: [first], networkError }: CombinedError): Fault {
  if (!first) {
    const message = networkError
      ? 'The service could not be reached. Check your connection and try again.'
      : 'Something went wrong.';
    return { message, code: 'connection_error', param: null };
  }
  const { code, param } = first.extensions;
  const named = typeof param === 'string' ? param : null;
  return { message: inWords(first.message, named), code: String(code ?? ''), param: named };
}

/** The service names fields as programs do, like `input.draft.maxSteps`; people are told `Max steps`. */
function inWords(message: string, param: string | null): string {
  if (!param) return message;
  const last = param.split('.').at(-1) ?? param;
  const words = last.replace(/\[\d+\]/g, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const told = message.startsWith(`${param}: `)
    ? message.slice(param.length + 2)
    : message.replaceAll(param, words === 'url' ? 'URL' : words);
  return told.charAt(0).toUpperCase() + told.slice(1);
}

/** The fault as one field of a form shows it: where it is to blame, or undefined. */
export function faultAt(fault: Fault | undefined, field: string): string | undefined {
  return fault?.param?.replace(/^input\./, '') === field ? fault.message : undefined;
}
