import type { ReactNode } from 'react';
import type { Budget } from './budget-words.ts';

/** What budgets apply to: an object, all end users, or without a field the environment. */
export interface BudgetPlace {
  readonly deploymentId?: string;
  readonly conversationId?: string;
  readonly endUser?: string;
  readonly isAnyEndUser?: true;
}

/** What budgets apply to, for the list and the dialogs. */
export interface NamedPlace {
  readonly place: BudgetPlace;
  /** The place in words, like "this deployment". */
  readonly name: string;
}

export interface OpenDialog {
  /** Undefined: the user sets another budget. */
  readonly budget?: Budget;
  readonly kind: 'set' | 'remove';
}

/** The section of a page with the budgets of a place. */
export interface BudgetsProps extends NamedPlace {
  readonly title: string;
  /** The text without budgets. */
  readonly empty: ReactNode;
  /** A narrow panel has no card of its own. */
  readonly isInPanel?: boolean;
}
