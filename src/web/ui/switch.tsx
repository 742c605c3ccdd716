import { Switch as Base } from '@base-ui/react/switch';
import { useId } from 'react';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Turns something on or off at once. A choice that is saved with a form is a checkbox. */
export function Switch({ label, hint, checked, onChange }: Props) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <p id={id} className="font-medium">
          {label}
        </p>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        aria-labelledby={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 flex h-6 w-10 shrink-0 cursor-pointer items-center rounded-full bg-edge p-0.5 transition-colors data-checked:bg-accent"
      >
        <Base.Thumb className="size-5 rounded-full bg-surface shadow-sm transition-transform data-checked:translate-x-4 rtl:data-checked:-translate-x-4" />
      </Base.Root>
    </div>
  );
}
