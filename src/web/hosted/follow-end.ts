import { type RefCallback, useCallback, useRef, useState } from 'react';

/** A region that is scrolled to within this distance of its end follows its end. In pixels. */
const NEAR_PX = 48;

export interface FollowEnd {
  /** The ref of the scrolling element. Its first child is the growing content. */
  readonly region: RefCallback<HTMLElement>;
  /** Whether the newest content is visible. */
  readonly isAtEnd: boolean;
  /** Scrolls to the end. */
  toEnd(): void;
  /** Call it before older content is inserted at the start: the visible content keeps its position. */
  holdPlace(): void;
}

/** Keeps a growing region scrolled to its end, unless the user has scrolled up. */
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
      const isNear = node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX;
      // Growing content moves the end away for a moment. Only scrolling up stops following.
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
