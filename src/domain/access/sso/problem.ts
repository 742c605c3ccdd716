import type { SignInProblemCode } from '../../../contract/sign-in.ts';

/** A single sign-on that fails. The page explains `code`. `message` is for the log: no secret, token or address. */
export class SignInProblem extends Error {
  readonly code: SignInProblemCode;

  constructor(code: SignInProblemCode, message: string) {
    super(message);
    this.name = 'SignInProblem';
    this.code = code;
  }
}
