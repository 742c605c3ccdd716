/** A failed action. The model sees `message`, so it must not contain secrets or internal details. */
export class ActionError extends Error {
  /** Further facts for the model. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ActionError';
    this.facts = facts;
  }
}
