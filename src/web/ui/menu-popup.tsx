import { Menu } from '@base-ui/react/menu';
import { Fragment } from 'react';
import { Icon } from './icon.tsx';
import type { MenuGroup, MenuItem, MenuProps } from './menu-props.ts';

interface Props extends MenuProps {
  readonly isOpenAtFirst: boolean;
}

/** The menu itself. Its script is loaded after the page. */
export function MenuPopup({ trigger, className, heading, groups, focusAfter, isOpenAtFirst }: Props) {
  return (
    <Menu.Root defaultOpen={isOpenAtFirst}>
      <Menu.Trigger className={className}>{trigger}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="z-40 outline-hidden" align="end" sideOffset={6}>
          <Menu.Popup
            {...(focusAfter && { finalFocus: () => focusAfter() ?? true })}
            className="popup max-h-(--available-height) w-64 max-w-(--available-width) overflow-y-auto p-1 outline-hidden"
          >
            {heading && <div className="border-b border-line px-2.5 pt-1.5 pb-2.5">{heading}</div>}
            {groups.map((group, index) => (
              <Fragment key={group.title ?? index}>
                {index > 0 && <Menu.Separator className="h-px bg-line" />}
                <Group {...group} />
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Group({ title, items, isMultiple = false }: MenuGroup) {
  const checked = isMultiple ? undefined : items.find((item) => item.checked);
  const lines = (
    <>
      {title && <Menu.GroupLabel className="px-2.5 py-1.5 text-sm text-muted">{title}</Menu.GroupLabel>}
      {items.map((item) => (
        <Item key={keyOf(item)} {...{ item, isMultiple }} />
      ))}
    </>
  );
  if (!checked) return <Menu.Group className="py-1">{lines}</Menu.Group>;
  return (
    <Menu.RadioGroup className="py-1" value={keyOf(checked)}>
      {lines}
    </Menu.RadioGroup>
  );
}

const keyOf = ({ value, label }: MenuItem) => value ?? label;

function Item({ item, isMultiple }: { readonly item: MenuItem; readonly isMultiple: boolean }) {
  const { label, icon, note, checked, onSelect } = item;
  const content = (
    <>
      {icon && <Icon name={icon} className="size-4 text-muted" />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note && <kbd className="text-sm text-muted">{note}</kbd>}
      {checked && <Icon name="check" className="size-4 text-accent" />}
    </>
  );
  if (checked === undefined) {
    return (
      <Menu.Item onClick={onSelect} className="popup-item">
        {content}
      </Menu.Item>
    );
  }
  return isMultiple ? (
    <Menu.CheckboxItem checked={checked} onCheckedChange={onSelect} className="popup-item">
      {content}
    </Menu.CheckboxItem>
  ) : (
    <Menu.RadioItem value={keyOf(item)} onClick={onSelect} closeOnClick className="popup-item">
      {content}
    </Menu.RadioItem>
  );
}
