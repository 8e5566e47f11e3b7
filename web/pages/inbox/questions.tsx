import { useState } from "preact/hooks";
import type { InboxRow } from "../../data/inbox.ts";
import { useKeys } from "../../data/keys.ts";
import { answer } from "./deeds.ts";

interface QuestionsProps {
  row: InboxRow;
  isChosen: boolean;
  answered: (run: () => Promise<unknown>) => void;
}

/** What a person has picked of the options, and said beside them. */
interface Said {
  picked: readonly string[];
  words: string;
}

const NOTHING: Said = { picked: [], words: "" };
const MOST_KEYS = 9;

/** The agent's own questions, each with its options, or an answer in words. */
export function Questions({ row, isChosen, answered }: QuestionsProps) {
  const questions = row.ask?.questions ?? [];
  const [said, setSaid] = useState<readonly Said[]>(questions.map(() => NOTHING));
  const set = (index: number, next: Said) => setSaid(said.map((old, at) => (at === index ? next : old)));
  const pick = (index: number, label: string, { several }: { several?: true | undefined }) => {
    const { picked, words } = said[index] ?? NOTHING;
    if (!several) return set(index, { picked: [label], words: "" });
    const isPicked = picked.includes(label);
    set(index, { picked: isPicked ? picked.filter((each) => each !== label) : [...picked, label], words });
  };
  const texts = questions.map(({ options }, index) => textOf(said[index] ?? NOTHING, options));
  const open = Math.max(0, texts.indexOf(""));
  const most = Math.max(0, ...questions.map(({ options }) => options.length));
  useKeys(
    Array.from({ length: isChosen ? Math.min(most, MOST_KEYS) : 0 }, (_, option) => ({
      key: String(option + 1),
      does: `answer with option ${option + 1}`,
      isQuiet: true,
      run: () => {
        // One that allows several is answered on while it has the focus.
        const focused = focusedIn(row);
        const at = focused !== undefined && questions[focused]?.several ? focused : open;
        const question = questions[at];
        const label = question?.options[option]?.label;
        if (!question || label === undefined) return;
        pick(at, label, question);
        document.getElementById(idOf(row, at, option))?.focus();
      },
    })),
  );
  const submit = () => {
    if (texts.includes("")) document.getElementById(idOf(row, open, 0))?.focus();
    else answered(() => answer(row, { answer: "text", texts }));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {questions.map(({ question, options, several }, index) => {
        const { picked, words } = said[index] ?? NOTHING;
        return (
          <fieldset key={question} class="question">
            <legend>
              {question} {several && <span class="faint">You can choose several.</span>}
            </legend>
            {options.map(({ label, description }, at) => (
              <label key={label}>
                <input
                  id={idOf(row, index, at)}
                  type={several ? "checkbox" : "radio"}
                  name={`${row.id} ${index}`}
                  checked={picked.includes(label)}
                  onChange={() => pick(index, label, { several })}
                />{" "}
                {label} {description && <span class="soft">{description}</span>}
                {isChosen && at < MOST_KEYS && (
                  <span aria-hidden="true">
                    <kbd>{at + 1}</kbd>
                  </span>
                )}
              </label>
            ))}
            <input
              id={options.length === 0 ? idOf(row, index, 0) : undefined}
              aria-label={`Answer in your own words: ${question}`}
              placeholder={
                options.length === 0
                  ? "in your own words"
                  : several
                    ? "and in your own words"
                    : "or in your own words"
              }
              value={words}
              onInput={({ currentTarget: { value } }) =>
                set(index, { picked: several ? picked : [], words: value })
              }
              onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
            />
          </fieldset>
        );
      })}
      <button type="submit" class={texts.includes("") ? undefined : "main"}>
        {texts.includes("") && questions.length > 1 ? "Next question" : "Answer"}
        <kbd>↵</kbd>
      </button>
    </form>
  );
}

const idOf = ({ id }: InboxRow, question: number, option: number) => `option-${id}-${question}-${option}`;

/** Which of its questions has the focus. */
function focusedIn({ id }: InboxRow): number | undefined {
  const [, at] = document.activeElement?.id.split(`option-${id}-`) ?? [];
  return at === undefined ? undefined : Number.parseInt(at, 10);
}

/** Several are told in the order in which they were asked. */
function textOf({ picked, words }: Said, options: readonly { label: string }[]): string {
  const labels = options.map(({ label }) => label).filter((label) => picked.includes(label));
  return [...labels, words.trim()].filter(Boolean).join(", ");
}
