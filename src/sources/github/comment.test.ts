import { describe, expect, it } from "vitest";
import type { GitHubOptions } from "../../../test/github-server.ts";
import { itemsOf, startSource } from "../../../test/github-source.ts";

const { signal } = new AbortController();

async function reporting(options: GitHubOptions = {}) {
  const at = await startSource(options);
  at.repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
  at.github.catchUp();
  const [item] = await itemsOf(at.source);
  if (!item) throw new Error("no item");
  const bodies = () => at.repo.issue(1).comments.map(({ body }) => body.replace(/^<!--.*-->\n/, ""));
  const report = (text: string, source = at.source) => source.report(item, { marker: "job-1", text }, signal);
  return { ...at, item, bodies, report };
}

describe("the one comment", () => {
  it("is edited, also by the next process, and there is one for each job", async () => {
    await using at = await reporting();
    await at.report("Claimed");
    await at.report("Working");
    await at.report("Delivered", at.sourceWith());
    expect(at.bodies()).toEqual(["Delivered"]);
    await at.source.report(at.item, { marker: "job-2", text: "Another" }, signal);
    expect(at.bodies()).toEqual(["Delivered", "Another"]);
  });

  it("is one, however many write it at once, and the last of them counts", async () => {
    await using at = await reporting();
    at.github.fault({ path: /comments/, how: { status: 403, body: "{}" } });
    const failing = at.report("Lost").catch(() => "failed");
    await Promise.all(["Claimed", "Working", "Delivered"].map((text) => at.report(text)));
    expect(await failing).toBe("failed");
    expect(at.bodies()).toEqual(["Delivered"]);
  });

  it("is Baton's own: what others begin with its mark stays as it is", async () => {
    await using at = await reporting();
    await at.report("Claimed");
    const [{ body = "" } = {}] = at.repo.issue(1).comments;
    at.repo.deleteComment(at.repo.issue(1).comments[0]?.id ?? 0);
    at.repo.comment(1, "stranger", body);
    at.repo.comment(1, "robot", `Quoted:\n${body}`);
    await at.report("Working", at.sourceWith());
    expect(at.bodies()).toEqual(["Claimed", `Quoted:\n${body}`, "Working"]);
  });

  it.each(["reset", "reset-after", "502-after"] as const)(
    "is there once, whatever breaks: %s",
    async (how) => {
      await using at = await reporting();
      at.github.fault({ method: "POST", path: /comments$/, how });
      await at.report("Claimed");
      expect(at.bodies()).toEqual(["Claimed"]);
      at.github.fault({ method: "PATCH", path: /comments/, how });
      await at.report("Working");
      expect(at.bodies()).toEqual(["Working"]);
    },
  );

  it("is one again where a replica that was behind let a second one be written", async () => {
    await using at = await reporting({ lagMs: 1_000, random: () => 1 });
    at.github.fault({ method: "POST", path: /comments$/, how: "502-after" });
    await at.report("Claimed");
    expect(at.bodies()).toEqual(["Claimed", "Claimed"]);
    at.github.catchUp();
    await at.report("Working", at.sourceWith());
    expect(at.bodies()).toEqual(["Working"]);
  });

  it("comes back where a person deleted it, and is cut where GitHub takes no more", async () => {
    await using at = await reporting();
    await at.report("Claimed");
    at.repo.deleteComment(at.repo.issue(1).comments[0]?.id ?? 0);
    await at.report("😀".repeat(40_000));
    expect(at.bodies()).toEqual([expect.stringMatching(/^(?:😀)+\n…$/u)]);
  });

  it("hides its mark whatever is in it", async () => {
    await using at = await reporting();
    await at.source.report(at.item, { marker: "job--> @alice\n", text: "Hello" }, signal);
    expect(at.repo.issue(1).comments[0]?.body).toMatch(/^<!-- baton [\w%.]+ -->\nHello$/);
  });

  it("is not written with a token that belongs to nobody", async () => {
    await using at = await reporting();
    const { installation, id } = at.github.accounts.app("other", ["acme/app"], { issues: "write" });
    const { token } = at.github.accounts.issue(Number(id), installation);
    await expect(at.report("Claimed", at.sourceWith({ token }))).rejects.toMatchObject({
      code: "no-access",
      message: expect.stringContaining("auth.app"),
    });
    expect(at.bodies()).toEqual([]);
  });
});
