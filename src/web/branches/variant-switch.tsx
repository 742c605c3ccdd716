import { useEffect, useRef } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Branches, Direction, Variants } from './branch-context.ts';

interface Props {
  /** The ID of the active variant. */
  readonly id: string;
  readonly variants: Variants;
  readonly branches: Branches;
}

/** Switches between the messages that were at this place. */
export function VariantSwitch({ id, variants: { position, ids }, branches }: Props) {
  const t = texts().branches;
  const group = useRef<HTMLFieldSetElement>(null);
  const { takeFocus, select, canReplace, sending } = branches;
  useEffect(() => {
    // While the other variant is still being read, no button can have the focus.
    if (!canReplace) return;
    const direction = takeFocus(id);
    if (!direction) return;
    // At the end of the variants only the other button is enabled.
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])];
    const wanted = direction === 'previous' ? buttons : buttons.toReversed();
    wanted.find((button) => !button.disabled)?.focus();
  }, [id, takeFocus, canReplace]);
  const button = (direction: Direction) => {
    const target = ids[position - 1 + (direction === 'next' ? 1 : -1)];
    return (
      <Button
        look="quiet"
        small
        aria-label={t[direction]}
        title={t[direction]}
        disabled={!canReplace || target === undefined}
        onClick={() => sending === undefined && target !== undefined && select(target, direction)}
      >
        <Icon name="chevron" className={`size-4 ${direction === 'previous' ? 'ltr:rotate-180' : 'rtl:rotate-180'}`} />
      </Button>
    );
  };
  return (
    <fieldset ref={group} aria-label={t.variants} className="inline-flex items-center">
      {button('previous')}
      <span className="tabular-nums" aria-hidden="true">
        {position} / {ids.length}
      </span>
      <span className="sr-only">{t.variantOf(position, ids.length)}</span>
      {button('next')}
    </fieldset>
  );
}
