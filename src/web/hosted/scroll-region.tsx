import type { ReactNode } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { FollowEnd } from './follow-end.ts';

interface Props {
  readonly follow: FollowEnd;
  readonly label: string;
  readonly children: ReactNode;
}

/** A scrolling conversation with a button that goes to its end. */
export function ScrollRegion({ follow, label, children }: Props) {
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={follow.region}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-4 py-6">{children}</div>
      </section>
      {!follow.isAtEnd && (
        <Button
          small
          aria-label={texts().page.toNewest}
          onClick={follow.toEnd}
          className="absolute bottom-3 left-1/2 size-10 -translate-x-1/2 rounded-full px-0 shadow-md"
        >
          <Icon name="chevron" className="size-5 rotate-90" />
        </Button>
      )}
    </div>
  );
}
