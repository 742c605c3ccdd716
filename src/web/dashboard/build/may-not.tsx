import { Notice } from '../../ui/notice.tsx';

/** Why nothing can be changed here. */
export function MayNot({ what }: { readonly what: string }) {
  return <Notice>Your role lets you look at {what}, and not change it. Ask an owner or admin for another role.</Notice>;
}
