import { Component, type ReactNode } from "react";

/** Says what failed where a page cannot be drawn, instead of leaving nothing. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error }: { error: Error | null } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="state state-failed" role="alert">
        <p>
          <strong>This page cannot be shown.</strong>
        </p>
        <p className="quiet">
          {(error as Error).message}. After an update of the server, the page has to be loaded anew.
        </p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load anew
        </button>
      </div>
    );
  }
}
