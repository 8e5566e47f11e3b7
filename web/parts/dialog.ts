import { useEffect, useRef } from "preact/hooks";

/** Shown at once, over everything. `closed`: by Escape too. */
export function useDialog(closed: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  const told = useRef(closed);
  told.current = closed;
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const close = () => told.current();
    element?.addEventListener("close", close);
    return () => element?.removeEventListener("close", close);
  }, []);
  return dialog;
}
