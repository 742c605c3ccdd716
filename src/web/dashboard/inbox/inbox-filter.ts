import { useSearchParams } from 'wouter';
import { isUuid } from '../frame/filters.tsx';
import { useMe } from '../session/session.ts';

/** What conversations can wait for, with the words of the URL. */
export const NEEDS = { answer: 'An answer', approval: 'An approval', budget: 'A budget', person: 'A person' } as const;

/** How long a conversation has waited, in minutes, with the words of the page. */
export const AGES = { 5: '5 minutes or longer', 60: '1 hour or longer', 1440: '1 day or longer' } as const;

const KINDS = { answer: 'ANSWER', approval: 'APPROVAL', budget: 'BUDGET' } as const;

const HANDLED = { handling: ['WAITING', 'MEMBER'] as ('WAITING' | 'MEMBER')[] };

/** The filters in the URL, as the query takes them. */
export function useInboxFilter() {
  const [params] = useSearchParams();
  const me = useMe();
  const get = (name: string) => params.get(name) ?? '';
  const [need, assignee, side] = [get('needs'), get('assignee'), get('answerable')];
  const both = {
    ...(isUuid(get('deployment')) && { deploymentId: get('deployment') }),
    ...(assignee === 'me' && { assignee: me.user.userId }),
    ...(assignee === 'nobody' && { isAssigned: false }),
  };
  const kind = Object.hasOwn(KINDS, need) ? KINDS[need as keyof typeof KINDS] : undefined;
  return {
    variables: {
      calls: {
        ...both,
        ...(kind && { kinds: [kind] }),
        ...(side === 'member' && { answerableBy: 'MEMBER' as const }),
        ...(side === 'client' && { answerableBy: 'CLIENT' as const }),
      },
      people: { ...both, ...HANDLED },
      hasCalls: need !== 'person',
      // The client answers for no person.
      hasPeople: kind === undefined && side !== 'client',
    },
    minutes: Object.hasOwn(AGES, get('age')) ? Number(get('age')) : 0,
  };
}

const NAMES = ['needs', 'deployment', 'age', 'answerable', 'assignee'] as const;

export function useIsFiltered(): boolean {
  const [params] = useSearchParams();
  return NAMES.some((name) => params.has(name));
}
