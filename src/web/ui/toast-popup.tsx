import { Toast } from '@base-ui/react/toast';
import { useEffect } from 'react';
import { Icon } from './icon.tsx';
import { showToastsWith } from './toast.ts';

const manager = Toast.createToastManager();

/** A group cannot be modal, but the component says so of every toast. */
const NOT_MODAL = { 'aria-modal': undefined } as const;

/** Shows toasts in the corner of the page. */
export function Toasts() {
  useEffect(() => showToastsWith((title) => void manager.add({ title, timeout: 5_000 })), []);
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed end-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // By default it is a dialog, but it asks for nothing.
      role="group"
      {...NOT_MODAL}
      className="rounded-lg border border-line bg-raised shadow-md transition-opacity data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-center gap-3 py-2 pe-2 ps-4">
        <Icon name="check" className="size-4 text-ok" />
        <Toast.Title className="min-w-0 flex-1 font-medium" />
        <Toast.Close
          aria-label="Close"
          // The component hides it while toasts are stacked. These never are.
          aria-hidden={false}
          className="cursor-pointer rounded-md p-2 text-muted hover:bg-sunken"
        >
          <Icon name="close" className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
