import { formatCost, formatExactCost } from '../ui/numbers.ts';
import { useMe } from './session/session.ts';

export interface Money {
  /** An ISO 4217 code, like USD. */
  readonly currency: string;
  /** Formats an amount. A missing price makes a cost unknown, shown as a dash. */
  readonly format: (amount: string | number | null) => string;
  /** The same for prices and axes, where small amounts differ. */
  readonly exact: (amount: number) => string;
}

/** The currency of the prices and costs of this workspace. */
export function useMoney(): Money {
  const { currency } = useMe().workspace;
  return {
    currency,
    format: (amount) => formatCost(amount, currency),
    exact: (amount) => formatExactCost(amount, currency),
  };
}
