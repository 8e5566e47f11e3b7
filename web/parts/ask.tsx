import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { keyName } from "../data/keys.ts";
import { useDialog } from "./dialog.ts";

interface Question {
  title: string;
  /** What it comes to. */
  text?: string;
  /** What the button says. */
  does: string;
  /** Words that may go along. */
  words?: { label: string; placeholder: string };
}

const open = signal<(Question & { answer: (words: string | undefined) => void }) | undefined>(undefined);

/** Asks before something is done. Resolves with the words that go along, and undefined where the person does not want it. */
export function ask(question: Question): Promise<string | undefined> {
  open.value?.answer(undefined);
  return new Promise((resolve) => {
    open.value = {
      ...question,
      answer: (words) => {
        open.value = undefined;
        resolve(words);
      },
    };
  });
}

export async function isSure(question: Omit<Question, "words">): Promise<boolean> {
  return (await ask(question)) !== undefined;
}

export function AskedNow() {
  const asked = open.value;
  return asked ? <Asked key={asked.title} {...asked} /> : null;
}

function Asked({ title, text, does, words, answer }: NonNullable<typeof open.value>) {
  const [said, setSaid] = useState("");
  const dialog = useDialog(() => answer(undefined));
  const submit = () => answer(said.trim());
  return (
    <dialog ref={dialog} class="question-of-baton" aria-label={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <h2>{title}</h2>
        {text && <p class="soft">{text}</p>}
        {words && (
          <textarea
            rows={3}
            aria-label={words.label}
            placeholder={words.placeholder}
            value={said}
            onInput={(event) => setSaid(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              submit();
            }}
          />
        )}
        <div class="acts">
          <button type="submit" class="main" {...(!words && { autofocus: true })}>
            {does}
            <kbd>{words ? keyName("⌘Enter") : "Enter"}</kbd>
          </button>
          <button type="button" onClick={() => answer(undefined)}>
            Not now<kbd>Esc</kbd>
          </button>
        </div>
      </form>
    </dialog>
  );
}
