import { InvalidResponseDataError } from '@ai-sdk/provider';

/** An error of a provider that does not follow its protocol. */
export function unreadable(message: string, data: unknown = null): InvalidResponseDataError {
  return new InvalidResponseDataError({ data, message });
}
