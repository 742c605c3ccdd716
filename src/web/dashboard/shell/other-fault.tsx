import { Notice } from '../../ui/notice.tsx';
import { type Fault, faultAt } from '../fault.ts';

interface Props {
  readonly fault: Fault | undefined;
  /** Fields of the form, which show their own faults. */
  readonly shownAt?: readonly string[];
}

/** Why a form was refused, where none of its fields is to blame. */
export function OtherFault({ fault, shownAt = [] }: Props) {
  if (!fault || shownAt.some((field) => faultAt(fault, field))) return null;
  return <Notice tone="danger">{fault.message}</Notice>;
}
