import { execFile } from "node:child_process";
import { invalid, notFound, Refusal } from "./refusal.ts";

const NOTHING = "0".repeat(40);
const SHA = /^[0-9a-f]{40}$/;

/** The git part of the API, on a real repository: it is git itself that decides who was first. */
export class GitData {
  readonly #folder: string;
  readonly #api: string;

  constructor(folder: string | undefined, api: string) {
    if (folder === undefined) throw new Refusal(409, "Git Repository is empty.");
    this.#folder = folder;
    this.#api = api;
  }

  async ref(name: string) {
    const sha = await this.#try(["rev-parse", "--verify", "--quiet", `refs/${name}`]);
    if (sha === undefined) throw notFound();
    return this.#refView(`refs/${name}`, sha);
  }

  async matching(prefix: string) {
    const listed = (await this.#try(["for-each-ref", "--format=%(refname) %(objectname)", "refs/"])) ?? "";
    return listed
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([ref = ""]) => ref.startsWith(`refs/${prefix}`))
      .map(([ref = "", sha = ""]) => this.#refView(ref, sha));
  }

  async create(ref: unknown, sha: unknown) {
    if (typeof ref !== "string" || !/^refs\/[^/]+\/./.test(ref)) {
      throw new Refusal(422, "Reference name is not a valid reference name");
    }
    const commit = await this.#object(sha);
    if ((await this.#try(["update-ref", ref, commit, NOTHING])) === undefined) {
      throw new Refusal(422, "Reference already exists");
    }
    return this.#refView(ref, commit);
  }

  async move(name: string, sha: unknown, force: boolean) {
    const ref = `refs/${name}`;
    const old = await this.#try(["rev-parse", "--verify", "--quiet", ref]);
    if (old === undefined) throw new Refusal(422, "Reference does not exist");
    const commit = await this.#object(sha);
    const isForward = (await this.#try(["merge-base", "--is-ancestor", old, commit])) !== undefined;
    const moved = (force || isForward) && (await this.#try(["update-ref", ref, commit, old])) !== undefined;
    if (!moved) throw new Refusal(422, "Update is not a fast forward");
    return this.#refView(ref, commit);
  }

  /** Without any condition: whoever comes late deletes what is somebody else's now. */
  async delete(name: string): Promise<void> {
    const ref = `refs/${name}`;
    if ((await this.#try(["rev-parse", "--verify", "--quiet", ref])) === undefined) {
      throw new Refusal(422, "Reference does not exist");
    }
    await this.#try(["update-ref", "-d", ref]);
  }

  async commit({ message, tree, parents = [] }: { message?: unknown; tree?: unknown; parents?: unknown }) {
    if (typeof message !== "string" || message === "") throw invalid("Commit", "message", "missing_field");
    const above = Array.isArray(parents) ? await Promise.all(parents.map((sha) => this.#object(sha))) : [];
    const args = [
      "commit-tree",
      await this.#object(tree),
      "-m",
      message,
      ...above.flatMap((sha) => ["-p", sha]),
    ];
    const sha = await this.#try(args);
    if (sha === undefined) throw new Refusal(422, "The commit could not be made");
    return { sha, message, tree: { sha: tree }, parents: above.map((each) => ({ sha: each })) };
  }

  async commitAt(sha: string) {
    const said = SHA.test(sha) ? await this.#try(["show", "-s", "--format=%T%n%P%n%cI%n%B", sha]) : undefined;
    if (said === undefined) throw notFound();
    const [tree = "", parents = "", date = "", ...message] = said.split("\n");
    return {
      sha,
      tree: { sha: tree },
      parents: parents
        .split(" ")
        .filter(Boolean)
        .map((each) => ({ sha: each })),
      committer: { date },
      message: message.join("\n").trim(),
    };
  }

  /** Whether a branch is there, and has something that the other does not. */
  async compare(base: string, head: string): Promise<"missing-head" | "missing-base" | "same" | "ahead"> {
    const at = (branch: string) => this.#try(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
    const [from, to] = [await at(base), await at(head)];
    if (to === undefined) return "missing-head";
    if (from === undefined) return "missing-base";
    return (await this.#try(["rev-list", "--count", `${from}..${to}`])) === "0" ? "same" : "ahead";
  }

  async #object(sha: unknown): Promise<string> {
    const isOne = typeof sha === "string" && SHA.test(sha);
    if (isOne && (await this.#try(["cat-file", "-e", sha])) !== undefined) return sha;
    throw new Refusal(422, "Object does not exist");
  }

  #refView(ref: string, sha: string) {
    return {
      ref,
      node_id: `REF_${ref}`,
      url: `${this.#api}/git/${ref}`,
      object: { sha, type: "commit", url: "" },
    };
  }

  /** Undefined where git refuses. */
  #try(args: string[]): Promise<string | undefined> {
    const who = { name: "Fake GitHub", email: "noreply@example.invalid" };
    const env = {
      ...process.env,
      GIT_AUTHOR_NAME: who.name,
      GIT_AUTHOR_EMAIL: who.email,
      GIT_COMMITTER_NAME: who.name,
      GIT_COMMITTER_EMAIL: who.email,
    };
    return new Promise((resolve) => {
      execFile("git", ["-C", this.#folder, ...args], { env }, (error, stdout) =>
        resolve(error ? undefined : stdout.trim()),
      );
    });
  }
}
