import type { ComponentProps } from 'react';

/** A link to another site. The browser sends it no referrer. */
export function OutsideLink(props: ComponentProps<'a'>) {
  return (
    <a href={props.href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
      {props.children}
    </a>
  );
}
