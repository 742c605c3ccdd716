import type { CombinedError } from 'urql';

/** Why a request failed, in words for the user. */
export interface RequestError {
  readonly message: string;
  /** The service's error code in lower case, or `connection_error` if no response arrived. */
  readonly code: string;
  /** The field that caused the error, like `input.draft.model`. */
  readonly param: string | null;
  /** The error that the mutation returned, with the fields that the document selects. */
  readonly returned?: ReturnedError;
}

/** The codes of errors that pass: the service restarts, or the connection is lost. */
export const PASSING: readonly string[] = ['connection_error', 'rate_limited', 'unavailable'];

/** Returns the first error of a response. */
export function requestErrorOf({ graphQLErrors: [first], networkError }: CombinedError): RequestError {
  if (!first) {
    const message = networkError
      ? 'The service could not be reached. Check your connection and try again.'
      : 'Something went wrong. Try again.';
    return { message, code: 'connection_error', param: null };
  }
  const { code, param } = first.extensions;
  return errorOf(String(code ?? ''), first.message, typeof param === 'string' ? param : null);
}

/** The fields of `Error` in the schema. */
export interface ReturnedError {
  readonly __typename: string;
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[] | null;
}

/** The error that a mutation returned as its result. */
export function returnedErrorOf(returned: ReturnedError): RequestError {
  const { code, message, path } = returned;
  const param =
    path
      ?.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
      .join('')
      .replace(/^\./, '') ?? null;
  return { ...errorOf(code, message, param), returned };
}

function errorOf(code: string, message: string, param: string | null): RequestError {
  return { message: messageOf(message, param), code: code.toLowerCase(), param };
}

/** Replaces the field's path in a message, like `input.draft.maxSteps`, by its name in words, like `Max steps`. */
function messageOf(message: string, param: string | null): string {
  if (!param) return message;
  const last = param.split('.').at(-1) ?? param;
  const words = last.replace(/\[\d+\]/g, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const text = message.startsWith(`${param}: `)
    ? message.slice(param.length + 2)
    : message.replaceAll(param, words === 'url' ? 'URL' : words);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why a request of the REST API failed, in words for the user. `subject` is what failed, like `The export`. */
export async function failureOf(response: Response, subject: string): Promise<string> {
  try {
    const { error } = (await response.json()) as { readonly error?: { readonly message?: string } };
    if (error?.message) return error.message;
  } catch {
    // The response is not from the service, but from a proxy.
  }
  return `${subject} failed with status ${response.status}. Try again.`;
}
