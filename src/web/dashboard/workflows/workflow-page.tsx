import { PageFrame } from '../shell/page-frame.tsx';

export function Page() {
  return <PageFrame title="Soon">{null}</PageFrame>;
}
