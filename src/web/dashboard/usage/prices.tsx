import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import * as z from 'zod/mini';
import { SET_MODEL_PRICE as INPUT } from '../../../shapes/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { optionalNumber, requiredNumber, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useMoney } from '../money.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { MODEL_PRICES, REMOVE_MODEL_PRICE, SET_MODEL_PRICE } from './documents.ts';

type Price = ResultOf<typeof MODEL_PRICES>['modelPrices'][number];

/** The open dialog. Without a price, the user adds one. */
type OpenDialogState =
  | { readonly kind: 'set'; readonly price?: Price }
  | { readonly kind: 'remove'; readonly price: Price };

/** The prices of models. They hold for the whole workspace. */
export function Prices() {
  const canWrite = usePermission('workflows:write');
  const money = useMoney();
  const query = useServiceQuery(MODEL_PRICES, {});
  const [open, setOpen] = useState<OpenDialogState>();
  const close = () => setOpen(undefined);
  const columns: Column<Price>[] = [
    { title: 'Model', cell: ({ model }) => model },
    {
      title: 'Input price per 1M tokens',
      numeric: true,
      cell: ({ inputPerMillion }) => money.exact(inputPerMillion),
    },
    {
      title: 'Cached input price per 1M tokens',
      numeric: true,
      cell: ({ inputPerMillion, cachedInputPerMillion }) => money.exact(cachedInputPerMillion ?? inputPerMillion),
    },
    {
      title: 'Cache write price per 1M tokens',
      numeric: true,
      cell: ({ inputPerMillion, cacheWritePerMillion }) => money.exact(cacheWritePerMillion ?? inputPerMillion),
    },
    {
      title: 'Output price per 1M tokens',
      numeric: true,
      cell: ({ outputPerMillion }) => money.exact(outputPerMillion),
    },
    { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    ...(canWrite ? [{ title: 'Actions', cell: (price: Price) => <PriceActions {...{ price, setOpen }} /> }] : []),
  ];
  const add = canWrite && <Button onClick={() => setOpen({ kind: 'set' })}>Add price</Button>;
  return (
    <Section title="Model prices" actions={add}>
      <Loaded query={query}>
        {({ modelPrices }) => (
          <Table
            label="Model prices"
            columns={columns}
            rows={modelPrices}
            keyOf={({ model }) => model}
            empty="No prices yet. Add a price to see what usage costs, including earlier usage."
          />
        )}
      </Loaded>
      {open?.kind === 'set' && <PriceDialog {...(open.price && { price: open.price })} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog price={open.price} onClose={close} />}
    </Section>
  );
}

interface ActionsProps {
  readonly price: Price;
  readonly setOpen: (dialog: OpenDialogState) => void;
}

function PriceActions({ price, setOpen }: ActionsProps) {
  return (
    <span className="flex justify-end gap-1 md:justify-start">
      <Button small aria-label={`Change the price of ${price.model}`} onClick={() => setOpen({ kind: 'set', price })}>
        Change
      </Button>
      <Button
        small
        look="quiet"
        aria-label={`Remove the price of ${price.model}`}
        onClick={() => setOpen({ kind: 'remove', price })}
      >
        Remove
      </Button>
    </span>
  );
}

const { fields } = INPUT;

const price = requiredNumber(fields.inputPerMillion.least, fields.inputPerMillion.most);
const cachePrice = optionalNumber(fields.cachedInputPerMillion.least, fields.cachedInputPerMillion.most);

const schema = z.object({
  model: requiredText('a model', fields.model.most).check(z.trim()),
  inputPerMillion: price,
  cachedInputPerMillion: cachePrice,
  cacheWritePerMillion: cachePrice,
  outputPerMillion: price,
});

interface DialogProps {
  readonly onClose: () => void;
}

function PriceDialog({ price, onClose }: DialogProps & { readonly price?: Price }) {
  const form = useMutationForm({
    schema,
    defaultValues: {
      model: price?.model ?? '',
      inputPerMillion: String(price?.inputPerMillion ?? ''),
      cachedInputPerMillion: String(price?.cachedInputPerMillion ?? ''),
      cacheWritePerMillion: String(price?.cacheWritePerMillion ?? ''),
      outputPerMillion: String(price?.outputPerMillion ?? ''),
    },
    mutation: SET_MODEL_PRICE,
    variables: (input) => ({ input }),
    onSuccess: onClose,
  });
  const { control } = form;
  const { currency } = useMoney();
  return (
    <FormDialog title={price ? `Price of ${price.model}` : 'Add a price'} verb="Save" {...{ form, onClose }}>
      {!price && (
        <FormTextField
          control={control}
          name="model"
          label="Model"
          hint="The name in the workflow log: demo, or provider:name."
          required
        />
      )}
      <FormTextField
        control={control}
        name="inputPerMillion"
        label={`Input price per 1M tokens, in ${currency}`}
        inputMode="decimal"
        required
      />
      <FormTextField
        control={control}
        name="cachedInputPerMillion"
        label={`Cached input price per 1M tokens, in ${currency}`}
        hint="Tokens that the provider reads from its cache. Empty: the input price."
        inputMode="decimal"
      />
      <FormTextField
        control={control}
        name="cacheWritePerMillion"
        label={`Cache write price per 1M tokens, in ${currency}`}
        hint="Tokens that the provider writes to its cache. Empty: the input price."
        inputMode="decimal"
      />
      <FormTextField
        control={control}
        name="outputPerMillion"
        label={`Output price per 1M tokens, in ${currency}`}
        inputMode="decimal"
        required
      />
    </FormDialog>
  );
}

function RemoveDialog({ price: { model }, onClose }: DialogProps & { readonly price: Price }) {
  const { mutate, busy, error } = useServiceMutation(REMOVE_MODEL_PRICE);
  const confirm = async () => {
    if (await mutate({ model })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove the price of ${model}?`}
      verb="Remove"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>Usage of {model} shows no cost until you add a price again. This includes earlier usage.</p>
    </ConfirmDialog>
  );
}
