import { Loading } from '../../ui/button.tsx';
import { enhancement } from '../../ui/load.ts';
import { Section } from '../frame/page-frame.tsx';
import type { BudgetsProps } from './budget-place.ts';

// Pages are useful without it.
const section = enhancement(() => import('./budget-section.tsx'));

/** The budgets of a place. Their script loads after the page. */
export function Budgets(props: BudgetsProps) {
  const BudgetSection = section.useModule()?.BudgetSection;
  if (BudgetSection) return <BudgetSection {...props} />;
  if (props.isInPanel) return <Loading />;
  return (
    <Section title={props.title}>
      <Loading />
    </Section>
  );
}
