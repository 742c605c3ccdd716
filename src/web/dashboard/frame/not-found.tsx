import { Link } from 'wouter';
import { useHref } from '../location.ts';
import { PageFrame } from './page-frame.tsx';

interface Props {
  readonly title: string;
  /** What may be the reason. */
  readonly children: string;
  /** The page that lists what exists, and the text of the link to it. */
  readonly to: string;
  readonly list: string;
}

/** The page of something that does not exist, with the way to what exists. */
export function NotFound({ title, children, to, list }: Props) {
  const href = useHref();
  return (
    <PageFrame title={title}>
      <p className="text-muted">
        {children}{' '}
        <Link to={href(to)} className="text-accent hover:underline">
          {list}
        </Link>
      </p>
    </PageFrame>
  );
}
