import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../../src/util/errors.ts";

interface UnbrokenProps {
  children: ComponentChildren;
}

/** What goes wrong inside stays inside. A part that cannot be loaded is most often one that an update of Baton has replaced. */
export class Unbroken extends Component<UnbrokenProps, { problem?: string }> {
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ problem: messageOf(error) });
  }

  override render({ children }: UnbrokenProps, { problem }: { problem?: string }) {
    if (problem === undefined) return children;
    return (
      <div class="notice bad" role="alert">
        This page cannot be shown: {problem}. Where Baton was updated meanwhile, it comes back with a reload.{" "}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
