import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Ending, runCycle } from "../src/sessions/handoff/cycle.ts";
import {
  clearing,
  type SessionHandoff,
  type StoredHandoff,
  takenUp,
  wentOn,
} from "../src/sessions/record/handoff-state.ts";
import { Registry } from "../src/sessions/record/registry.ts";
import {
  aStoredHandoff,
  cycle,
  type HandedOff,
  handedOff,
  handoffFiles,
  onRecord,
  soon,
  talk,
  withoutHooks,
} from "./handed-off-session.ts";
import { Baton, baton, git, type TestProject, testProject } from "./harness.ts";
import { anOwnSession, eventually, registryOf } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

describe("a session in a tmux pane", () => {
  it("is cleared, and the next one set to work with the document, also where hooks are missing", async () => {
    const open = await handedOff();
    const { outcome, successor } = await cycle(open, ...withoutHooks);
    expect(outcome).toBe("taken-up");
    const screen = await open.screen.shows("I buy paint.");
    expect(screen).toContain("/clear");
    expect(screen).not.toContain("The shed is old.");
    expect((await onRecord(open))?.handoff).toMatchObject({ state: "taken-up", successor });
    expect(await registryOf(open.project).find(successor)).toMatchObject({
      parent: open.session.id,
      pane: open.screen.pane,
    });
  });

  it("is not touched while something is written at its prompt", async () => {
    const open = await handedOff();
    await open.screen.waits();
    await open.screen.types("half a tho");
    await open.screen.shows("half a tho");
    expect(await cycle(open, ...soon)).toEqual({
      outcome: "pending",
      reason: "it could not be cleared: something is written at its prompt",
    });
    expect(await open.screen.prompt()).toEqual({ state: "written", text: "half a tho" });
    expect(await open.screen.text()).toContain("The shed is old.");
    expect(await handoffFiles(open.project)).toContain("HANDOFF_PENDING.md");
    expect((await onRecord(open))?.mail).toMatchObject([{ from: "baton" }]);
  });

  it("is cleared once its prompt is empty again, and by one process only", async () => {
    const open = await handedOff();
    await open.screen.waits();
    await open.screen.types("half a tho");
    await open.screen.shows("half a tho");
    const waiting = new Baton(open.project, [
      "internal",
      "cycle",
      open.session.id,
      "--json",
      ...withoutHooks,
    ]);
    const lock = join(registryOf(open.project).folder, "..", "cycles", open.session.id);
    await eventually("a process that is at it", async () => existsSync(lock));
    expect(await cycle(open)).toEqual({ outcome: "busy" });
    await eventually("what it waits for", async () => {
      const { handoff } = (await onRecord(open)) ?? {};
      return handoff?.state === "stored" && handoff.waitsFor === "written";
    });
    const waits = "1: stored, waits until what is at the prompt is sent or deleted";
    expect((await baton(open.project, ["status"])).stdout).toContain(waits);
    const input = JSON.stringify({ session_id: open.session.id });
    expect((await baton(open.project, ["statusline"], input)).stdout).toContain(`handoff ${waits}`);
    expect(await open.screen.prompt()).toEqual({ state: "written", text: "half a tho" });
    await open.screen.presses("C-u");
    await waiting.exit;
    expect(JSON.parse(waiting.stdout)).toMatchObject({ outcome: "taken-up" });
    await open.screen.shows("I buy paint.");
  });

  it("is cleared though a person types and presses Enter in the same moment, and hears what they typed", async () => {
    const open = await handedOff();
    await personTypesAfter("/clear", "work 78", open);
    expect(await cycle(open, ...withoutHooks)).toMatchObject({ outcome: "taken-up" });
    const { requests } = open.project.simulator;
    const heard = requests.filter(({ request }) => /work 78$/.test(request.last.trimEnd()));
    expect(heard).toHaveLength(1);
    expect(heard[0]?.request.text).not.toContain("What about the shed?");
    expect(await open.screen.text()).not.toContain("/clearwork");
  });

  it("gets the words back that were taken for a part of its command, and is cleared all the same", async () => {
    const open = await handedOff();
    const handoff = clearing(open.session.handoff, new Date().toISOString()) ?? null;
    await registryOf(open.project).update(open.session.id, (known) => known && { ...known, handoff });
    await open.screen.says("/clearwork 78 and more");
    await open.screen.shows("Unknown command: /clearwork");
    const args = ["internal", "cycle", open.session.id, "--json", ...withoutHooks];
    const running = new Baton(open.project, args);
    await eventually("their words at the prompt", async () => {
      const prompt = await open.screen.prompt();
      return prompt.state === "written" && prompt.text === "work 78 and more";
    });
    await open.screen.presses("C-u");
    await running.exit;
    expect(JSON.parse(running.stdout)).toMatchObject({ outcome: "taken-up" });
    await open.screen.shows("I buy paint.");
  });

  it.each<[string, (handoff: StoredHandoff) => SessionHandoff, Ending]>([
    ["the person has said more", wentOn, { outcome: "nothing" }],
    [
      "the person has cleared it",
      (handoff) =>
        takenUp(handoff, { successor: "by-hand", documentPath: handoff.documentPath, at: handoff.at }),
      { outcome: "taken-up", successor: "by-hand" },
    ],
  ])("is not cleared any more where %s while its prompt was waited for", async (_what, meanwhile, ending) => {
    const open = await handedOff();
    const { folder } = registryOf(open.project);
    const options = {
      registry: new Overtaken(folder, meanwhile),
      handoff: { dir: join(open.project.folder, ".baton", "handoffs"), autoContinue: true },
      elsewhere: { window: async () => undefined, job: () => expect.fail("it is in a pane") },
      notify: async () => {},
    };
    expect(await runCycle(open.session.id, options)).toEqual(ending);
    await open.screen.waits();
    expect(await open.screen.text()).toContain("The shed is old.");
    expect(await open.screen.text()).not.toContain("/clear");
  });

  it("is not cleared where the person has said more since, also where no hook noticed it", async () => {
    const open = await handedOff();
    await open.screen.says("And the roof?");
    const { transcript } = open.session;
    await eventually("it in the transcript", async () =>
      (await readFile(transcript ?? "", "utf8")).includes("And the roof?"),
    );
    expect(await cycle(open)).toEqual({ outcome: "nothing" });
    expect((await onRecord(open))?.handoff).toMatchObject({ state: "stored", wentOn: true });
    expect(await open.screen.text()).not.toContain("/clear");
  });

  it("tells the person where the configuration cannot be read, and stays as it is", async () => {
    const project = await testProject({ scenario: talk });
    const handoff = await aStoredHandoff(project, "broken");
    const session = anOwnSession(project, "broken", { handoff });
    await registryOf(project).update(session.id, () => session);
    await writeFile(join(project.folder, "baton.yaml"), "agents: 7\n");
    for (const _time of ["first", "second"]) {
      const { code } = await baton(project, ["internal", "cycle", session.id]);
      expect(code).toBe(2);
    }
    const record = await registryOf(project).find(session.id);
    expect(record?.handoff?.state).toBe("stored");
    expect(record?.mail).toHaveLength(1);
    expect(record?.mail[0]?.text).toContain("Handoff 1 is stored, but it could not continue: ");
    expect((await baton(project, ["doctor"])).stdout).toContain("cycle: ");
  });

  it("is not cleared while HANDOFF.md has a conflict, and says so", async () => {
    const agent = "handoff: { living_document: { path: HANDOFF.md } }";
    const open = await handedOff({ agent, prepare: conflict });
    const { outcome, reason } = await cycle(open, ...soon);
    expect(outcome).toBe("failed");
    expect(reason).toContain("HANDOFF.md has a merge conflict, so nothing was cleared");
    expect(await open.screen.text()).toContain("The shed is old.");
    const record = await onRecord(open);
    expect(record?.handoff).toMatchObject({ state: "failed", reason });
    expect(record?.mail.map(({ text }) => text).join()).toContain("HANDOFF.md has a merge conflict");

    await writeFile(join(open.project.folder, "HANDOFF.md"), "ours and theirs\n");
    await git(open.project.folder, "add", "HANDOFF.md");
    await git(open.project.folder, "commit", "-qm", "Resolve");
    expect(await cycle(open, ...withoutHooks)).toMatchObject({ outcome: "taken-up" });
  });

  it("is left to a person where auto_continue_cli is false", async () => {
    const open = await handedOff({ agent: "handoff: { auto_continue_cli: false }" });
    expect(await cycle(open)).toEqual({
      outcome: "pending",
      reason: "handoff.auto_continue_cli is false",
    });
    expect(await open.screen.text()).toContain("The shed is old.");
  });
});

/** Baton's own tmux, behind whose back a person types something and presses Enter as soon as this was typed. */
async function personTypesAfter(text: string, words: string, { project, screen }: HandedOff): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "baton-shim-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [path, real] = [join(folder, "tmux"), `PATH='${project.env.PATH}' tmux`];
  const person = `${real} -S '${screen.pane.socket}' send-keys -t '${screen.id}'`;
  const types = `[ -e '${folder}/typed' ] || { : > '${folder}/typed'; ${person} -l '${words}'; ${person} Enter; }`;
  await writeFile(
    path,
    `#!/bin/sh\n${real} "$@"\ncode=$?\ncase "$*" in *'${text}'*) ${types};; esac\nexit $code\n`,
  );
  await chmod(path, 0o755);
  project.env.PATH = `${folder}:${project.env.PATH}`;
}

/** A registry in which a session's handoff changes right before this process changes it. */
class Overtaken extends Registry {
  readonly #meanwhile: (handoff: StoredHandoff) => SessionHandoff;
  #isOver = false;

  constructor(folder: string, meanwhile: (handoff: StoredHandoff) => SessionHandoff) {
    super(folder);
    this.#meanwhile = meanwhile;
  }

  override async update(...[id, change]: Parameters<Registry["update"]>) {
    if (!this.#isOver) {
      this.#isOver = true;
      await super.update(id, (known) =>
        known?.handoff?.state === "stored"
          ? { ...known, handoff: this.#meanwhile(known.handoff) }
          : undefined,
      );
    }
    return super.update(id, change);
  }
}

async function conflict({ folder }: TestProject): Promise<void> {
  const commit = async (text: string) => {
    await writeFile(join(folder, "HANDOFF.md"), text);
    await git(folder, "add", "HANDOFF.md");
    await git(folder, "commit", "-qm", text);
  };
  await commit("ours");
  await git(folder, "checkout", "-qb", "other", "HEAD~1");
  await commit("theirs");
  await git(folder, "checkout", "-q", "main");
  await git(folder, "merge", "-q", "other").catch(() => {});
}
