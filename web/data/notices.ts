import { effect, signal } from "@preact/signals";
import { api } from "./api.ts";
import { type InboxRow, inbox, isSnoozed } from "./inbox.ts";
import { go } from "./place.ts";

type Notices = "on" | "off" | "refused" | "not possible";

const KEPT = "baton.notices";

/** Whether this browser tells the person what needs them. */
export const notices = signal<Notices>(standing());

function standing(): Notices {
  if (!("Notification" in globalThis) || !isSecureContext) return "not possible";
  if (Notification.permission === "denied") return "refused";
  return Notification.permission === "granted" && localStorage.getItem(KEPT) === "on" ? "on" : "off";
}

export async function askForNotices(isWanted: boolean): Promise<void> {
  localStorage.setItem(KEPT, isWanted ? "on" : "off");
  if (isWanted) await Notification.requestPermission();
  notices.value = standing();
}

/** Nobody listens to the stream while a tab is hidden: then it asks, as seldom as this. */
const ASK_MS = 60_000;

/** Tells of what came into the inbox while the person looked elsewhere. */
export function tellOfInbox(): void {
  let known = new Set(inbox.value.map(({ id }) => id));
  const look = (rows: readonly InboxRow[]) => {
    const fresh = rows.filter(({ id }) => !known.has(id));
    known = new Set(rows.map(({ id }) => id));
    if (notices.value === "on" && !document.hasFocus()) for (const row of fresh) tell(row);
  };
  effect(() => look(inbox.value));
  setInterval(() => {
    if (notices.value !== "on" || document.visibilityState === "visible") return;
    api.listInbox({}).then(
      ({ inbox: rows }) => look(rows.filter((row) => !isSnoozed(row))),
      () => {},
    );
  }, ASK_MS);
}

function tell({ id, title }: InboxRow): void {
  try {
    const notice = new Notification("Baton needs you", { body: title, tag: id });
    notice.onclick = () => {
      window.focus();
      go("/");
      notice.close();
    };
  } catch {
    // Browsers of phones have the name, and show none for a page.
    notices.value = "not possible";
  }
}
