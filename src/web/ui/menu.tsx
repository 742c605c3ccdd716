import { useState } from 'react';
import { enhancement } from './load.ts';
import type { MenuProps } from './menu-props.ts';

const popups = enhancement(() => import('./menu-popup.tsx'));

/** A button that opens a menu. A click before the script of menus is loaded opens the menu as soon as it is. */
export function Menu(props: MenuProps) {
  const module = popups.useModule();
  const [isWanted, setWanted] = useState(false);
  if (module) return <module.MenuPopup {...props} isOpenAtFirst={isWanted} />;
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded="false"
      className={props.className}
      onClick={() => setWanted(true)}
    >
      {props.trigger}
    </button>
  );
}
