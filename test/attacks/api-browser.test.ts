import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { signInLink } from "../../src/app/access/sign-in.ts";
import { MANY_PAGES, UNSEEN } from "../browser.ts";
import { launchChromium } from "../chromium.ts";
import { needs } from "../needs.ts";
import { startReceiver } from "../receiver.ts";
import { queuedJob, servedProject } from "../web.ts";
import { type Attack, expectNoEscape } from "./count.ts";

/** Each is run in a page of another site; what it comes to is what got through. `api` is the address of the API. */
const IN_A_PAGE: Readonly<Record<string, string>> = {
  "reads with the cookie": `fetch(api + "/jobs", { credentials: "include" }).then((answer) => answer.text(), () => null)`,
  "reads without being told what": `fetch(api + "/jobs", { credentials: "include", mode: "no-cors" }).then(({ type }) => type, () => null)`,
  "sends JSON": `fetch(api + "/jobs", {
    method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: '{"prompt":"Own it."}',
  }).then(({ status }) => status, () => null)`,
  "sends JSON as text": `fetch(api + "/jobs", {
    method: "POST", credentials: "include", mode: "no-cors", body: '{"prompt":"Own it."}',
  }).then(() => null, () => null)`,
  "sends a form": `new Promise((resolve) => {
    document.body.innerHTML = '<iframe name="into"></iframe><form method="post" enctype="text/plain" target="into"><input name=\\'{"prompt":"Own it.","epic":"\\' value=\\'"}\\'></form>';
    const form = document.querySelector("form");
    form.action = api + "/jobs";
    document.querySelector("iframe").addEventListener("load", () => resolve(null));
    form.submit();
  })`,
  "halts by an image": `new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve("an image");
    image.onerror = () => resolve(null);
    image.src = api + "/fleet/halt";
  })`,
  "runs what it reads": `new Promise((resolve) => {
    const script = document.createElement("script");
    script.onload = () => resolve("a script");
    script.onerror = () => resolve(null);
    script.src = api + "/jobs";
    document.body.append(script);
  })`,
  listens: `new Promise((resolve) => {
    const stream = new EventSource(api + "/stream", { withCredentials: true });
    stream.addEventListener("begin", () => resolve("a stream"));
    stream.onerror = () => resolve(null);
  })`,
};

async function tried(page: Page, api: string, script: string): Promise<string | undefined> {
  const came = await page.evaluate<string | null>(`{ const api = ${JSON.stringify(api)}; ${script} }`);
  return came ?? undefined;
}

it("lets no page of another site see or do anything in a browser that is signed in", MANY_PAGES, async () => {
  needs("browser");
  const web = await servedProject();
  await queuedJob(web.project, "Fix it.");
  const admin = await web.client("admin");
  const { port, host } = new URL(web.server.url);
  const browser = await launchChromium([...UNSEEN, "--host-resolver-rules=MAP *.example 127.0.0.1"]);
  onTestFinished(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  await page.goto((await signInLink(web.project)).link);
  await page.waitForURL(({ pathname }) => pathname !== "/sign-in");
  const api = `http://${host}/api/v1`;
  expect((await page.goto(`${api}/session`))?.status()).toBe(200);

  const evil = await startReceiver((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><body></body>"),
  );
  const { port: evilPort } = new URL(evil.url);
  const attacks = [
    // The cookie comes along: to browsers another port is the same site.
    `http://127.0.0.1:${evilPort}`,
    `http://evil.example:${evilPort}`,
  ].flatMap((site) =>
    Object.entries(IN_A_PAGE).map(
      ([name, script]): Attack => [
        `${name}, from ${site}`,
        async () => {
          await page.goto(site);
          return tried(page, api, script);
        },
      ],
    ),
  );
  const rebound = ["/", "/healthz", "/api/v1/jobs"].map(
    (path): Attack => [
      `a name that was made to lead here: ${path}`,
      async () => {
        const answer = await page.goto(`http://rebound.example:${port}${path}`);
        return answer?.status() === 421 ? undefined : `answered ${answer?.status()}`;
      },
    ],
  );
  const framed: Attack = [
    "a frame around the dashboard",
    async () => {
      await page.goto(evil.url);
      await page.setContent(`<iframe src="http://${host}/"></iframe>`);
      const [, frame] = page.frames();
      return frame?.url() === `http://${host}/` ? "shown in a frame" : undefined;
    },
  ];
  await expectNoEscape([...attacks, ...rebound, framed], 20);
  expect((await admin.listJobs({})).jobs).toHaveLength(1);
  expect((await admin.getFleet({})).halted).toBeUndefined();
  const { entries } = await admin.listAudit({});
  expect(entries.filter(({ who, outcome }) => who.startsWith("browser:") && outcome === "done")).toEqual([]);
  // The browser itself is still signed in.
  expect((await page.goto(`${api}/session`))?.status()).toBe(200);
});
