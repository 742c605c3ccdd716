import type { ResultOf } from 'gql.tada';
import { Loading } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { sizeOf } from '../budgets/budget-words.ts';
import { Loaded } from '../frame/loaded.tsx';
import { type Money, useMoney } from '../money.ts';
import { useServiceQuery } from '../requests.ts';
import { FORECAST, TIME_ZONE } from './documents.ts';
import { MEAN_DAYS, type Month, monthOf } from './month.ts';

type Usage = ResultOf<typeof FORECAST>;

/** The forecast in the time zone of the environment. */
export function Forecast() {
  const query = useServiceQuery(TIME_ZONE, {});
  return (
    <Loaded query={query} skeleton={<Loading />}>
      {({ timeZone }) => <MonthForecast timeZone={timeZone} />}
    </Loaded>
  );
}

function MonthForecast({ timeZone }: { readonly timeZone: string }) {
  const month = monthOf(Date.now(), timeZone);
  const query = useServiceQuery(FORECAST, { soFar: month.soFar, lastDays: month.lastDays });
  return (
    <Loaded query={query} skeleton={<Loading />}>
      {(usage) => <ForecastWords {...{ usage, month, timeZone }} />}
    </Loaded>
  );
}

interface WordsProps {
  readonly usage: Usage;
  readonly month: Month;
  readonly timeZone: string;
}

/** The forecast in money if all models have a price, otherwise in tokens. */
function ForecastWords({ usage, month, timeZone }: WordsProps) {
  const money = useMoney();
  const inTokens = estimate(usage, month, 'tokens');
  const inMoney = estimate(usage, month, 'money');
  const shown = inMoney ?? inTokens;
  if (!shown || inTokens?.total === 0) {
    return <p className="text-muted">Nothing was used this month or in the last {MEAN_DAYS} days.</p>;
  }
  const text = (value: number) => valueText(value, shown.unit, money);
  return (
    <div className="flex flex-col gap-3">
      <p>
        At the end of {month.name}: <strong className="text-xl font-semibold tabular-nums">{text(shown.total)}</strong>
      </p>
      <p className="text-muted">
        {text(shown.soFar)} so far this month, and {text(shown.perDay)} for each of the {days(month.daysLeft)} left: the
        mean of the last {MEAN_DAYS} complete days. Days are in the time zone {timeZone}.
      </p>
      {usage.budgets.nodes
        .filter(({ period }) => period === 'MONTH')
        .map((budget) => (
          <Comparison
            key={budget.budgetId}
            budget={budget}
            total={(budget.tokens === null ? inMoney : inTokens)?.total}
          />
        ))}
    </div>
  );
}

interface ComparisonProps {
  readonly budget: Usage['budgets']['nodes'][number];
  /** Undefined: a model has no price. */
  readonly total: number | undefined;
}

function Comparison({ budget, total }: ComparisonProps) {
  const money = useMoney();
  const unit = budget.tokens === null ? 'money' : 'tokens';
  const limit = sizeOf(budget);
  const name = `the monthly budget of ${valueText(limit, unit, money)}`;
  if (total === undefined) return <Notice>A model has no price, so {name} cannot be compared.</Notice>;
  const forecast = unit === 'tokens' ? `The forecast of ${valueText(total, unit, money)}` : 'The forecast';
  if (total <= limit) return <Notice tone="ok">{`${forecast} is within ${name}.`}</Notice>;
  return <Notice tone="warn">{`${forecast} exceeds ${name} by ${valueText(total - limit, unit, money)}.`}</Notice>;
}

type Unit = 'money' | 'tokens';

interface Estimate {
  readonly unit: Unit;
  readonly soFar: number;
  readonly perDay: number;
  readonly total: number;
}

/** Undefined if the cost is unknown. */
function estimate({ soFar: [month], lastDays: [last] }: Usage, { daysLeft }: Month, unit: Unit): Estimate | undefined {
  const [soFar, lastDays] = [month, last].map((row) => spentIn(row, unit));
  if (soFar === undefined || lastDays === undefined) return undefined;
  const perDay = lastDays / MEAN_DAYS;
  return { unit, soFar, perDay, total: soFar + perDay * daysLeft };
}

/** A period without usage has no row. */
function spentIn(row: Usage['soFar'][number] | undefined, unit: Unit): number | undefined {
  if (!row) return 0;
  if (unit === 'tokens') return row.inputTokens + row.outputTokens;
  return row.cost === null ? undefined : Number(row.cost);
}

const valueText = (value: number, unit: Unit, money: Money) =>
  unit === 'money' ? money.format(value) : `${formatCount(Math.round(value))} tokens`;

/** 3.4 days */
const days = (count: number) => `${count.toFixed(1)} days`;
