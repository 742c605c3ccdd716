import { type RefCallback, useCallback, useRef, useState } from 'react';

/** How near to its end a region counts as being read at its end. */
const NEAR = 48;

export interface FollowEnd {
  /** For the element that scrolls; its first child is what grows in it. */
  readonly region: RefCallback<HTMLElement>;
  /** Whether what is new is in sight. */
  readonly isAtEnd: boolean;
  toEnd(): void;
  /** Before older content is put in front: what is in sight stays where it is. */
  holdPlace(): void;
}

/** Keeps a region that grows at its end, unless its reader has scrolled up. */
export function useFollowEnd(): FollowEnd {
  const element = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const heldPlace = useRef<number>(null);
  const [isAtEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    follows.current = true;
    if (element.current) element.current.scrollTop = element.current.scrollHeight;
    setAtEnd(true);
  }, []);

  const region = useCallback((node: HTMLElement | null) => {
    if (!node) return;
    element.current = node;
    let before = 0;
    const onScroll = () => {
      const isNear = node.scrollHeight - node.scrollTop - node.clientHeight < NEAR;
      // What grows leaves its end behind for a moment; only whoever goes up wants to stay.
      if (isNear || node.scrollTop < before) follows.current = isNear;
      before = node.scrollTop;
      setAtEnd(follows.current);
    };
    const observer = new ResizeObserver(() => {
      if (heldPlace.current !== null) node.scrollTop = node.scrollHeight - heldPlace.current;
      else if (follows.current) node.scrollTop = node.scrollHeight;
      heldPlace.current = null;
    });
    node.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(node);
    if (node.firstElementChild) observer.observe(node.firstElementChild);
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', onScroll);
      element.current = null;
    };
  }, []);

  const holdPlace = useCallback(() => {
    const node = element.current;
    if (node) heldPlace.current = node.scrollHeight - node.scrollTop;
  }, []);

  return { region, isAtEnd, toEnd, holdPlace };
}
