import { type KeyboardEvent, type RefObject, useId, useRef } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange?: (text: string) => void;
  /** The lines with a problem, from 1. */
  readonly marked?: ReadonlySet<number>;
  /** Called for Ctrl Enter and ⌘ Enter. */
  readonly onSubmit?: () => void;
  readonly maxLength?: number;
  readonly ref?: RefObject<HTMLTextAreaElement | null>;
}

const ROWS = { least: 10, most: 32 } as const;

/** A text area with numbered lines. Tab leaves it, so that the keyboard is never trapped. */
export function CodeEditor({ label, value, onChange, marked = new Set(), onSubmit, maxLength, ref }: Props) {
  const id = useId();
  const gutter = useRef<HTMLDivElement>(null);
  const lines = value.split('\n').length;
  const rows = Math.min(ROWS.most, Math.max(ROWS.least, lines + 1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="flex overflow-hidden rounded-lg border border-edge bg-surface font-mono text-sm leading-6 focus-within:outline-2 focus-within:outline-accent">
        <div
          ref={gutter}
          aria-hidden="true"
          style={{ height: `${rows * 1.5 + 1}rem` }}
          className="shrink-0 overflow-hidden border-r border-line bg-sunken py-2 text-right text-muted select-none"
        >
          {Array.from({ length: lines }, (_, index) => index + 1).map((line) => (
            <div
              key={line}
              className={`min-w-9 px-2 ${marked.has(line) ? 'bg-danger-soft font-semibold text-danger' : ''}`}
            >
              {line}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          ref={ref}
          value={value}
          readOnly={!onChange}
          maxLength={maxLength}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-invalid={marked.size > 0 || undefined}
          onChange={(event) => onChange?.(event.target.value)}
          onKeyDown={onKeyDown}
          onScroll={({ currentTarget }) => gutter.current?.scrollTo({ top: currentTarget.scrollTop })}
          style={{ height: `${rows * 1.5 + 1}rem` }}
          className="min-w-0 flex-1 resize-none bg-transparent px-3 py-2 text-ink outline-none"
        />
      </div>
    </div>
  );
}

/** Moves the caret to a line and column of a text area. Both count from 1. */
export function moveCaret(area: HTMLTextAreaElement | null, line: number, column: number): void {
  if (!area) return;
  const before = area.value.split('\n').slice(0, line - 1);
  const at = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  area.focus();
  area.setSelectionRange(at, at);
}
