import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface Props {
  /** A change of it tries to render again, like the path of the page. */
  readonly subject?: string;
  readonly children: ReactNode;
}

interface State {
  readonly error?: unknown;
  readonly subject?: string | undefined;
}

/** Shows a reload button instead of a part of the page that failed, usually because its script was not loaded. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  static getDerivedStateFromProps({ subject }: Props, state: State): State | null {
    return subject === state.subject ? null : { subject, error: undefined };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="mx-auto w-full max-w-2xl p-4">
        <Notice tone="danger" action={<Button onClick={() => window.location.reload()}>Reload</Button>}>
          <p className="font-medium">This part of the page could not be loaded.</p>
          <p>Check your connection, then reload. The service may have been updated.</p>
        </Notice>
      </div>
    );
  }
}
