import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, ofType, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { branchesOf, listedWorktrees, worktreeProject, worktreesIn } from "./worktree.ts";

const BRANCH = "agent/coder/LIN-1";
const runItem = (command: string) => ["run", "coder", told(command), "--work-item", "LIN-1", "--json"];

async function script(path: string, lines: string) {
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
}

describe("a branch that is not pushed", () => {
  it("stays here with push_on_success: false", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "push_on_success: false" });
    expect((await baton(project, runItem("echo 1 > one"))).code).toBe(0);
    expect(await git(project.folder, "show", `${BRANCH}:one`)).toBe("1");
    expect(await branchesOf(project.remote)).toEqual(["main"]);
    expect(await worktreesIn(project)).toEqual([]);
    expect(await listedWorktrees(project)).toMatchObject([
      { has: "branch", branch: BRANCH, reason: expect.stringContaining("1 commit is not on origin") },
    ]);
  });

  it("stays here where there is no remote at all", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await git(project.folder, "remote", "remove", "origin");
    const ran = await baton(project, runItem("echo 1 > one"));
    expect(ran.code).toBe(0);
    expect(await git(project.folder, "show", `${BRANCH}:one`)).toBe("1");
    expect(await listedWorktrees(project)).toMatchObject([
      { has: "branch", reason: expect.stringContaining("there is no remote") },
    ]);
  });
});

describe("create_pr", () => {
  it("opens the pull request with gh, with a title and a body from the work", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "create_pr: true" });
    const stand = join(project.folder, "..", "stand-in");
    await mkdir(stand);
    const calls = join(stand, "calls");
    await script(
      join(stand, "gh"),
      `echo "$@" >> ${calls}
case "$1 $2" in
  "pr list") echo "[]" ;;
  "pr create") cat > ${stand}/body; echo https://github.com/you/shop/pull/7 ;;
esac`,
    );
    await script(join(stand, "ssh"), `exec sh -c "$(echo "$2" | sed "s#'you/shop.git'#${project.remote}#")"`);
    await git(project.folder, "remote", "set-url", "origin", "git@github.com:you/shop.git");
    Object.assign(project.env, {
      PATH: `${stand}:${project.env.PATH}`,
      GIT_SSH_COMMAND: join(stand, "ssh"),
      GIT_SSH_VARIANT: "simple",
    });
    const args = [...runItem("echo 1 > one"), "--title", "Login fails"];
    const ran = await baton(project, args);
    expect(ran.code).toBe(0);
    expect(ofType(ran.events, "workspace:proposed")).toMatchObject([
      { url: "https://github.com/you/shop/pull/7", created: true },
    ]);
    expect(await readFile(calls, "utf8")).toContain(
      `pr create --repo=github.com/you/shop --base=main --head=${BRANCH} --title=LIN-1: Login fails --body-file=-`,
    );
    expect(await readFile(join(stand, "body"), "utf8")).toMatch(/^Done as told\.\n[\s\S]*echo 1 > one/);
    expect(await shown(project)).toMatchObject({
      workspace: { pullRequest: "https://github.com/you/shop/pull/7" },
    });
    expect(await branchesOf(project.remote)).toEqual([BRANCH, "main"]);
    expect(await branchesOf(project.folder)).toEqual(["main"]);
  });
});
