import { useState } from 'react';
import { enhancement } from './load.ts';
import type { MenuProps } from './menu-props.ts';

const popups = enhancement(() => import('./menu-popup.tsx'));

/**
 * A button that opens a menu. A click before the script of menus is loaded opens the menu as soon as it is. The button is
 * not replaced while it has the focus or is pressed: the focus or the click would be lost.
 */
export function Menu(props: MenuProps) {
  const module = popups.useModule();
  const [isWanted, setWanted] = useState(false);
  const [isHeld, setHeld] = useState(false);
  if (module && (isWanted || !isHeld)) return <module.MenuPopup {...props} isOpenAtFirst={isWanted} />;
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded="false"
      className={props.className}
      onPointerDown={() => setHeld(true)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onClick={() => setWanted(true)}
    >
      {props.trigger}
    </button>
  );
}
