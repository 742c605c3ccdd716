/** An action that failed, for a reason that the model is told. `message` holds no secret, and nothing internal. */
export class ActionFailure extends Error {
  /** What the model is told beside the message. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ActionFailure';
    this.facts = facts;
  }
}
