import type { ResultOf } from 'gql.tada';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { faultAt } from '../fault.ts';
import { costOf } from '../numbers.ts';
import { useChange, useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Section } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { MODEL_PRICES, REMOVE_MODEL_PRICE, SET_MODEL_PRICE } from './documents.ts';

type Price = ResultOf<typeof MODEL_PRICES>['modelPrices'][number];

/** What a dialog is about: a model's price, or one that is to be new. */
type Asked = { readonly kind: 'set'; readonly price?: Price } | { readonly kind: 'remove'; readonly price: Price };

/** What models cost, for the whole workspace. */
export function Prices() {
  const mayWrite = useMay('workflows:write');
  const reading = useReading(MODEL_PRICES, {});
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const columns: Column<Price>[] = [
    { title: 'Model', cell: ({ model }) => model },
    { title: 'A million tokens in', numeric: true, cell: ({ inputPerMillion }) => costOf(String(inputPerMillion)) },
    { title: 'A million tokens out', numeric: true, cell: ({ outputPerMillion }) => costOf(String(outputPerMillion)) },
    { title: 'Set', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    ...(mayWrite ? [{ title: 'Change', cell: (price: Price) => <PriceActions {...{ price, ask }} /> }] : []),
  ];
  const add = mayWrite && <Button onClick={() => ask({ kind: 'set' })}>Set a price</Button>;
  return (
    <Section title="Model prices" actions={add}>
      <Loaded reading={reading}>
        {({ modelPrices }) => (
          <Table
            label="Model prices"
            columns={columns}
            rows={modelPrices}
            keyOf={({ model }) => model}
            empty="No model has a price. Once one has, usage shows what it cost, that of before as well."
          />
        )}
      </Loaded>
      {asked?.kind === 'set' && <PriceDialog {...(asked.price && { price: asked.price })} onClose={close} />}
      {asked?.kind === 'remove' && <RemovalDialog price={asked.price} onClose={close} />}
    </Section>
  );
}

function PriceActions({ price, ask }: { readonly price: Price; readonly ask: (asked: Asked) => void }) {
  return (
    <span className="flex justify-end gap-1 md:justify-start">
      <Button small aria-label={`Change the price of ${price.model}`} onClick={() => ask({ kind: 'set', price })}>
        Change
      </Button>
      <Button
        small
        look="quiet"
        aria-label={`Remove the price of ${price.model}`}
        onClick={() => ask({ kind: 'remove', price })}
      >
        Remove
      </Button>
    </span>
  );
}

interface DialogProps {
  readonly onClose: () => void;
}

function PriceDialog({ price, onClose }: DialogProps & { readonly price?: Price }) {
  const { make, busy, fault } = useChange(SET_MODEL_PRICE);
  const [model, setModel] = useState(price?.model ?? '');
  const [input, setInput] = useState(price ? String(price.inputPerMillion) : '');
  const [output, setOutput] = useState(price ? String(price.outputPerMillion) : '');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const prices = { inputPerMillion: Number(input), outputPerMillion: Number(output) };
    if (await make({ input: { model: model.trim(), ...prices } })) onClose();
  };
  const amount = { type: 'number', min: 0, max: 1_000_000, step: 'any', required: true, inputMode: 'decimal' } as const;
  const isElsewhere = fault && !['model', 'inputPerMillion', 'outputPerMillion'].some((field) => faultAt(fault, field));
  return (
    <Dialog title={price ? `Price of ${price.model}` : 'Set a price'} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {!price && (
          <TextField
            label="Model"
            hint="As turns name it: demo, or provider:name"
            required
            value={model}
            error={faultAt(fault, 'model')}
            onChange={(event) => setModel(event.target.value)}
          />
        )}
        <TextField
          {...amount}
          label="A million tokens in"
          hint="In a currency of your own, the same for all models"
          value={input}
          error={faultAt(fault, 'inputPerMillion')}
          onChange={(event) => setInput(event.target.value)}
        />
        <TextField
          {...amount}
          label="A million tokens out"
          value={output}
          error={faultAt(fault, 'outputPerMillion')}
          onChange={(event) => setOutput(event.target.value)}
        />
        {isElsewhere && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RemovalDialog({ price: { model }, onClose }: DialogProps & { readonly price: Price }) {
  const { make, busy, fault } = useChange(REMOVE_MODEL_PRICE);
  return (
    <Dialog title={`Remove the price of ${model}?`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>Usage of {model} has no cost from then on, that of before included, until it is given a price again.</p>
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" busy={busy} onClick={async () => (await make({ model })) && onClose()}>
            Remove
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
