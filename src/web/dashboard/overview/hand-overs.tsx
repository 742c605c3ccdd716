import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { dayAfter, startOf, today } from '../days.ts';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { HAND_OVERS } from './documents.ts';

const DAYS = 7;

/** How many conversations need people, and how long users wait for them. Nothing is shown before the first hand-over. */
export function HandOvers() {
  const href = useHref();
  const last = today();
  const query = useServiceQuery(HAND_OVERS, {
    from: startOf(dayAfter(last, 1 - DAYS)),
    to: startOf(dayAfter(last, 1)),
  });
  const report = query.data?.handOverReport;
  if (report && report.waiting + report.handOvers + report.taken === 0) return null;
  const inbox = (
    <Link to={href('/inbox', { needs: 'person' })} className="text-accent hover:underline">
      Inbox
    </Link>
  );
  return (
    <Section title="People" actions={inbox}>
      <Loaded query={query}>
        {({ handOverReport: { waiting, oldestWaitingSince, handOvers, taken, ...times } }) => (
          <dl aria-label="People" className="grid grid-cols-2 gap-4 lg:grid-cols-4">
            <Figure title="Wait for a person" value={formatCount(waiting)}>
              {oldestWaitingSince ? (
                <>
                  The first since <Time at={oldestWaitingSince} />
                </>
              ) : (
                'Now'
              )}
            </Figure>
            <Figure title="Hand-overs" value={formatCount(handOvers)}>
              In {DAYS} days
            </Figure>
            <Figure title="Taken over" value={formatCount(taken)}>
              In {DAYS} days
            </Figure>
            <Figure title="First answer" value={seconds(times.medianFirstAnswerTime)}>
              Median of {DAYS} days. 95 % within {seconds(times.p95FirstAnswerTime)}
            </Figure>
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

const seconds = (value: number | null) => (value === null ? '–' : formatSeconds(value));

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Figure({ title, value, children }: FigureProps) {
  return (
    <div className="flex flex-col">
      <dt className="text-sm font-medium text-muted">{title}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
      <dd className="text-sm text-muted">{children}</dd>
    </div>
  );
}
