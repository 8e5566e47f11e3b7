import DOMPurify from "dompurify";
import { marked } from "marked";
import { useMemo } from "preact/hooks";

const ALLOWED = {
  ALLOWED_TAGS:
    "a p br h1 h2 h3 h4 h5 h6 ul ol li code pre blockquote strong em del hr table thead tbody tr th td".split(
      " ",
    ),
  ALLOWED_ATTR: ["href"],
  ALLOWED_URI_REGEXP: /^https?:/i,
};

/** What an agent wrote as Markdown. Nothing of it can act, load anything, or lead anywhere but to http(s). */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => cleaned(text), [text]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is sanitised above, and that is what this part is for.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

function cleaned(text: string): string {
  const body = DOMPurify.sanitize(marked.parse(text, { async: false, gfm: true }), {
    ...ALLOWED,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of body.querySelectorAll("a")) {
    link.setAttribute("rel", "noopener noreferrer");
    link.setAttribute("target", "_blank");
  }
  const holder = document.createElement("div");
  holder.append(body);
  return holder.innerHTML;
}
