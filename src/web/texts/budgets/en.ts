/** The question whether to raise a budget that a turn waits for. */
export const budgets = {
  add: 'Raise the budget by',
  addHint: (unit: string) => `In ${unit}. Leave it empty if the budget has room again.`,
  amount: 'the currency of the workspace',
  end: 'End the turn',
  lead: (spent: string, limit: string) =>
    `${spent} of ${limit} are spent. The turn waits until somebody raises the budget of this period.`,
  needed: (most: string) => `The next step can cost at most ${most}.`,
  notNumber: 'Enter a number above 0.',
  raise: 'Raise and continue',
  title: 'Raise the budget?',
  tokens: 'tokens',
  pausing: 'The assistant is pausing',
  pausingHint: 'You can leave this page: the conversation continues later.',
};
