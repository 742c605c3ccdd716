import { useController, useWatch } from 'react-hook-form';
import { SET_BUDGET as INPUT } from '../../../shapes/environment.ts';
import { FormSelect, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { RadioOptions } from '../forms/radio-options.tsx';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useMoney } from '../money.ts';
import { useServiceMutation } from '../requests.ts';
import { budgetSchema, budgetValues, keptDeadline, PERIODS, POLICIES, placeInput } from './budget-form.ts';
import type { NamedPlace, OpenDialog } from './budget-place.ts';
import { type Budget, budgetName, periodName, policyWords } from './budget-words.ts';
import { REMOVE_BUDGET, SET_BUDGET } from './documents.ts';

interface Props extends NamedPlace {
  readonly open: OpenDialog;
  readonly onClose: () => void;
}

/** Sets, changes or removes a budget. */
export function BudgetDialog({ open: { kind, budget }, ...props }: Props) {
  if (kind === 'remove' && budget) return <RemoveDialog {...props} budget={budget} />;
  return <SetDialog {...props} budget={budget} />;
}

type DialogProps = Omit<Props, 'open'> & { readonly budget: Budget | undefined };

function SetDialog({ place, name, budget, onClose }: DialogProps) {
  const { currency } = useMoney();
  const needsEndUser = Boolean(place.isAnyEndUser && !budget);
  const form = useMutationForm({
    schema: budgetSchema(needsEndUser),
    defaultValues: budgetValues(budget),
    mutation: SET_BUDGET,
    variables: (input) => ({
      input: { ...placeInput(place, budget), ...keptDeadline(budget, input.onReached), ...input },
    }),
    onSuccess: onClose,
  });
  const { control } = form;
  const unit = useWatch({ control, name: 'unit' });
  const { field: onReached } = useController({ control, name: 'onReached' });
  const title = budget ? `Change the ${budgetName(budget).toLowerCase()}` : `Set a budget of ${name}`;
  return (
    <FormDialog title={title} verb="Save budget" {...{ form, onClose }}>
      {needsEndUser && (
        <FormTextField
          {...{ control, name: 'endUser', label: 'End user', hint: 'Your own ID of the user.', required: true }}
          maxLength={INPUT.fields.endUser.most}
          autoComplete="off"
        />
      )}
      {!budget && (
        <FormSelect
          control={control}
          name="period"
          label="Period"
          hint="The new budget replaces an earlier one with the same period."
        >
          {PERIODS.map((period) => (
            <option key={period} value={period}>
              {periodName(period)}
            </option>
          ))}
        </FormSelect>
      )}
      <FormSelect
        {...{ control, name: 'unit', label: 'Limit in' }}
        {...(budget && { hint: 'If you change it, the current period starts with nothing spent.' })}
      >
        <option value="amount">Money</option>
        <option value="tokens">Tokens</option>
      </FormSelect>
      {unit === 'amount' ? (
        <FormTextField
          {...{ control, name: 'amount', label: `Amount in ${currency}`, inputMode: 'decimal', required: true }}
          hint="Each model that the budget applies to needs a price."
          autoComplete="off"
        />
      ) : (
        <FormTextField
          {...{ control, name: 'tokens', label: 'Tokens', inputMode: 'numeric', required: true }}
          hint="Input and output tokens together."
          autoComplete="off"
        />
      )}
      <FormTextField
        {...{ control, name: 'warnAt', label: 'Warn at, in percent', inputMode: 'decimal' }}
        hint="Empty: no warning."
        autoComplete="off"
      />
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-medium">When used up</legend>
        <RadioOptions
          name={onReached.name}
          value={onReached.value}
          onChange={onReached.onChange}
          options={POLICIES.map((value) => ({ value, ...policyWords(value) }))}
        />
      </fieldset>
    </FormDialog>
  );
}

function RemoveDialog({ name, budget, onClose }: Omit<DialogProps, 'budget'> & { readonly budget: Budget }) {
  const { mutate, busy, error } = useServiceMutation(REMOVE_BUDGET);
  const confirm = async () => {
    if (await mutate({ budgetId: budget.budgetId })) onClose();
  };
  const of = budget.endUser ?? name;
  return (
    <ConfirmDialog
      title={`Remove the ${budgetName(budget).toLowerCase()}?`}
      verb="Remove"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>It no longer limits the model steps of {of}. What was spent of it is forgotten. Other budgets stay.</p>
    </ConfirmDialog>
  );
}
