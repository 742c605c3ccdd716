/**
 * Shows a part of the line below a message when the pointer or the focus is in the message. It is always visible for the
 * newest message, and on touch screens. Its room is reserved.
 */
export const ON_HOVER =
  'opacity-0 transition-opacity group-focus-within/reply:opacity-100 group-hover/reply:opacity-100 group-[:is([role=log]>:last-child,li:last-child>:last-child)]/reply:opacity-100 [@media(hover:none)]:opacity-100';
