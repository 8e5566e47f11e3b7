import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton } from "./harness.ts";
import { bash, good, handedOver, handsIn, oneHandoff, writesNotes } from "./one-handoff.ts";

/** By its shape. */
const SECRET = `ghp_${"aB3dE6gH9jK2mN5pQ8sT".repeat(2).slice(0, 36)}`;

it("writes a job into one page that runs nothing, loads nothing and holds no secret", async () => {
  const work = [
    writesNotes,
    bash(`echo '<script>alert(1)</script> ${SECRET}' | tee page.html`),
    bash("ls /nowhere"),
  ];
  const { project } = await handedOver(oneHandoff(work, handsIn(good)));
  const { code, stdout } = await baton(project, ["export", "--html", "--output", "job.html", "--json"]);
  expect(code).toBe(0);
  const { path, bytes } = JSON.parse(stdout);
  expect(path).toBe(join(project.folder, "job.html"));
  const page = await readFile(path, "utf8");
  expect(Buffer.byteLength(page)).toBe(bytes);
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|<img|<link|\son\w+=|https?:\/\//i);
  expect(page).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
  expect(page).not.toContain(SECRET);
  expect(page).toMatch(/<svg[^>]*aria-label="2 sessions and 1 handoff"/);
  expect(page).toContain('<div class="line added"><i></i><i>1</i><span>one</span></div>');
  expect(page).toMatch(/✕<\/span><span class="words"><b>[^<]*<\/b>.*No such file/s);
  expect(page).toMatch(/2 sessions · sim\. \$/);
  expect(page).toMatch(/session 2<\/td>/);
});

it("asks as what, before it writes anything", async () => {
  const { project } = await handedOver(oneHandoff([writesNotes], handsIn(good)));
  const { code, stderr } = await baton(project, ["export"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--html");
});
