import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';

/** The text of a file that describes documents, up to a limit. */
export class FileText {
  readonly #parts: string[] = [];
  readonly #separator: string;
  #length = 0;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** @throws {ServiceError} invalid_request */
  add(part: string): void {
    this.#length += part.length + this.#separator.length;
    if (this.#length > LIMITS.documentFileLength) {
      const most = formatCount(LIMITS.documentFileLength);
      const message = `The file would have more than ${most} characters. Select documents with {param}, which can be repeated.`;
      throw new ServiceError('invalid_request', message, { param: ['name'] });
    }
    this.#parts.push(part);
  }

  get text(): string {
    return this.#parts.join(this.#separator);
  }
}
