import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { asksForHandoff, bash, handsIn, writesNotes } from "./one-handoff.ts";
import { served } from "./web.ts";

const ACTS = "globalThis.acted = true";
const MARKUP = `<img src="https://evil.invalid/a.png" onerror="${ACTS}"><svg onload="${ACTS}"></svg>`;
/** All that Markdown can hide what acts in, and one link that leads somewhere. */
const MARKDOWN = [
  `**Look** ${MARKUP} <script>${ACTS}</script> <iframe src="javascript:${ACTS}"></iframe>`,
  `<form action="https://evil.invalid"><input autofocus onfocus="${ACTS}"></form>`,
  `<style>@import "https://evil.invalid/a.css";</style><base href="https://evil.invalid">`,
  `[a](javascript:${ACTS}) [b](data:text/html,hello) [c](vbscript:x) [d](//evil.invalid/d) [e](file:///etc/passwd)`,
  `![f](https://evil.invalid/f.png) <a href="JaVaScript:${ACTS}" onclick="${ACTS}">g</a> <https://example.org/seen>`,
].join("\n\n");
const FILE = `<img src=x onerror="acted=true">.md`;

/** A job that says such things wherever an agent can say something, and then asks for one more. */
const hostile: Scenario = {
  name: "hostile",
  summary: "",
  rules: [
    {
      when: isHandoffRequest,
      reply: handsIn({
        currentState: MARKDOWN,
        decisions: [{ decision: MARKDOWN, reason: MARKUP }],
        links: [MARKDOWN],
      }),
    },
  ],
  steps: [
    { say: MARKDOWN, call: [writesNotes, { tool: "Write", input: { file_path: FILE, content: MARKUP } }] },
    { call: { tool: "Read", input: { file_path: FILE } } },
    { call: asksForHandoff },
    { say: MARKDOWN, call: bash(`echo '${MARKUP}'`) },
  ],
};

/** What a page has that acts, loads something, or leads elsewhere than to http(s). */
const HARM = `[
  ...(globalThis.acted ? ["it acted"] : []),
  ...[...document.querySelectorAll("a[href], area[href]")].map((link) => new URL(link.getAttribute("href"), location).href).filter((href) => !/^https?:|^file:.*#/.test(href)),
  ...[...document.querySelectorAll("main :is(img, iframe, object, embed, style, base, form[action], script)")].map(({ outerHTML }) => outerHTML),
  ...[...document.querySelectorAll("*")].filter((all) => all.getAttributeNames().some((name) => name.startsWith("on"))).map(({ outerHTML }) => outerHTML),
]`;

const harmIn = (page: Page) => page.evaluate<string[]>(HARM);

it(
  "shows what an agent writes as words, of which nothing acts, loads or leads astray",
  MANY_PAGES,
  async () => {
    needs("browser");
    const agent = "permission_mode: acceptEdits\npermission_prompts: ask";
    const project = await testProject({ scenario: hostile, agent });
    const running = new Baton(project, ["run", "coder", `Fix ${MARKUP} this`, "--json"]);
    const { job } = await running.event(({ type }) => type === "ask:made");
    const web = await served(project);
    const { page, context } = await visit(web, { mayLose: /Content Security Policy/ });
    const elsewhere: string[] = [];
    context.on("request", (request) => {
      if (!request.url().startsWith(web.server.url)) elsewhere.push(request.url());
    });

    const looks: [string, string][] = [
      ["/", `echo '${MARKUP}'`],
      ["/board", `Fix ${MARKUP} this`],
      [`/jobs/${job}`, FILE],
      [`/jobs/${job}/changes`, FILE],
      [`/jobs/${job}/handoffs?n=1`, "What the session said"],
      [`/jobs/${job}/cost`, "By session"],
      [`/jobs/${job}/events`, "handoff:stored"],
      [`/jobs/${job}/workspace`, "Why it is kept"],
      ["/activity", "sign-in"],
    ];
    for (const [path, words] of looks) {
      await page.goto(web.server.url + path);
      await page.locator("main").getByText(words).first().waitFor();
      expect(await harmIn(page), path).toEqual([]);
    }
    // Markdown is Markdown all the same.
    await page.goto(`${web.server.url}/jobs/${job}`);
    const said = page.getByRole("log", { name: "Transcript" }).locator(".markdown").first();
    await said.locator("strong", { hasText: "Look" }).waitFor();
    const link = said.getByRole("link", { name: "https://example.org/seen" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await harmIn(page)).toEqual([]);

    expect(elsewhere).toEqual([]);

    // What came into a page all the same would find it closed.
    const refused = await page.evaluate<string[]>(`new Promise((resolve) => {
    const refused = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
      refused.push(effectiveDirective);
      if (refused.length === 4) resolve(refused.sort());
    });
    const script = document.createElement("script");
    script.textContent = "${ACTS}";
    const style = document.createElement("style");
    style.textContent = "body { color: red }";
    document.body.append(script, style);
    new Image().src = "https://evil.invalid/a.png";
    fetch("https://evil.invalid/").catch(() => {});
  })`);
    expect(refused).toEqual(["connect-src", "img-src", "script-src-elem", "style-src-elem"]);
    expect(await page.evaluate("globalThis.acted")).toBeUndefined();

    const { stdout } = await baton(project, ["export", job, "--html", "--json"]);
    const { path } = JSON.parse(stdout);
    elsewhere.length = 0;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(pathToFileURL(path).href);
      await page.getByRole("heading", { name: "Transcript" }).waitFor();
      expect(await harmIn(page), "the exported page").toEqual([]);
      expect(await violations(page), colorScheme).toEqual([]);
    }
    expect(elsewhere).toEqual([pathToFileURL(path).href, pathToFileURL(path).href]);
  },
);
