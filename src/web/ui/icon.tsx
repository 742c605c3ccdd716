/** SVG paths on a grid of 24 by 24. */
const PATHS = {
  attach: 'M21 11.5 12.5 20a5.5 5.5 0 0 1-8-7.8L13 3.8a3.7 3.7 0 0 1 5.3 5.2l-8.4 8.5a1.8 1.8 0 0 1-2.6-2.6l7.8-7.9',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  box: 'M12 3 4 7v10l8 4 8-4V7zM4 7l8 4 8-4M12 11v10',
  branch: 'M6 3v12M6 15a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM18 3a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM18 9a9 9 0 0 1-9 9',
  chart: 'M4 20h16M7 16v-4M12 16V7M17 16v-7',
  chat: 'M4 5h16v11H9l-5 4z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 5 7 7-7 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6 6 18',
  cloud: 'M7 18a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 9.5a4.3 4.3 0 0 1-.5 8.5zM12 15.5v-5M9.5 12.5 12 10l2.5 2.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'm4 20 1-4.5L15.5 5l3.5 3.5L8.5 19z',
  file: 'M14 3H6v18h12V7zM14 3v4h4',
  flask: 'M9 3h6M10 3v6L5 19a1.5 1.5 0 0 0 1.4 2h11.2a1.5 1.5 0 0 0 1.4-2L14 9V3M7.5 15h9',
  history: 'M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4l3 2',
  home: 'M4 11 12 4l8 7v9h-6v-6h-4v6H4z',
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h4.5l1.5 3h4l1.5-3H20',
  key: 'M15 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.5 12.5 4 20M7 17l2.5 2.5',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  outgoing: 'M14 4h6v6M20 4l-8 8M18 14v6H4V6h6',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20',
  send: 'M5 12h13M12 5l7 7-7 7',
  sliders: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  sound: 'M4 9v6h4l5 4V5L8 9zM16.5 9a4.2 4.2 0 0 1 0 6M19 6.5a7.8 7.8 0 0 1 0 11',
  spark: 'M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z',
  stop: 'M7 7h10v10H7z',
  thumbDown: 'M17 3h3v11h-3zM17 14l-4 7a2.4 2.4 0 0 1-2.4-2.4V15H5.2a2 2 0 0 1-2-2.4l1.5-8A2 2 0 0 1 6.7 3H17',
  thumbUp: 'M7 21H4V10h3zM7 10l4-7a2.4 2.4 0 0 1 2.4 2.4V9h5.4a2 2 0 0 1 2 2.4l-1.5 8a2 2 0 0 1-2 1.6H7',
  tool: 'M14.5 6.5a4 4 0 0 0-5.3 5l-5.7 5.7 3.3 3.3 5.7-5.7a4 4 0 0 0 5-5.3l-2.4 2.4-2.6-.4-.4-2.6z',
  updown: 'm8 9.5 4-4 4 4M8 14.5l4 4 4-4',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  users:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20a6.5 6.5 0 0 1 13 0M16 5.3a3.5 3.5 0 0 1 0 6.4M18.5 14.6a6.5 6.5 0 0 1 3 5.4',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.5v.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. Screen readers skip it, so the text next to it or the button's label must suffice. */
export function Icon({ name, className = 'size-5' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
