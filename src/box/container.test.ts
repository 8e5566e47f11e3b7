import { describe, expect, it } from "vitest";
import { type ContainerPlan, execCommand, runArguments } from "./container.ts";

const plan: ContainerPlan = {
  engine: "podman",
  image: "an-image",
  name: "baton-1",
  folder: "/tmp/baton-box-1",
  labels: { "baton.job": "job-1" },
  network: "none",
  user: "1000:1000",
  layout: {
    mounts: [
      { source: "/w/project/.git/hooks", target: "/w/project/.git/hooks", readOnly: true },
      { source: "/w/project", target: "/w/project", readOnly: false },
      { source: "cache", target: "/cache", readOnly: false },
      { source: '/with,comma/and"quote', target: "/odd", readOnly: true },
    ],
    memory: ["/tmp", "/scratch:size=1g"],
  },
  limits: { memory: 1024, pidsLimit: 10 },
  ports: [{ address: "127.0.0.1", outside: 8080, inside: 80 }],
};

/** What stands behind each occurrence of an option. */
function given(args: readonly string[], option: string): string[] {
  return args.flatMap((arg, index) => (arg === option ? [args[index + 1] ?? ""] : []));
}

describe("a container", () => {
  const args = runArguments(plan);

  it("gives up every right that it does not need", () => {
    expect(args).toEqual(expect.arrayContaining(["--read-only", "--rm", "--init", "--http-proxy=false"]));
    expect(given(args, "--cap-drop")).toEqual(["ALL"]);
    expect(given(args, "--security-opt")).toContain("no-new-privileges");
    expect(given(args, "--network")).toEqual(["none"]);
    expect(given(args, "--log-driver")).toEqual(["none"]);
  });

  it("has what lies deeper on top, by paths that may hold anything", () => {
    expect(given(args, "--mount")).toEqual(
      expect.arrayContaining([
        "type=bind,source=/w/project,target=/w/project",
        "type=volume,source=cache,target=/cache",
        'type=bind,"source=/with,comma/and""quote",target=/odd,readonly',
        "type=bind,source=/w/project/.git/hooks,target=/w/project/.git/hooks,readonly",
      ]),
    );
    const targets = given(args, "--mount").map((mount) => /target=([^,]+)/.exec(mount)?.[1] ?? "");
    expect(targets.indexOf("/w/project/.git/hooks")).toBeGreaterThan(targets.indexOf("/w/project"));
    expect(given(args, "--tmpfs")).toContain("/scratch:size=1g");
  });

  it("may not take from the disk what it may not take of the memory", () => {
    expect(given(args, "--memory-swap")).toEqual(given(args, "--memory"));
    expect(given(args, "--cpus")).toEqual([]);
  });

  it("is passed variables by name, so that no value stands on a command line", () => {
    const { command, args, cwd, env } = execCommand(
      plan,
      { command: "/bin/agent", args: ["--go"], cwd: "/w/project", env: { SECRET: "hush", HOME: "/home/me" } },
      { PATH: "/bin", HOME: "/root" },
    );
    expect({ command, cwd }).toEqual({ command: "podman", cwd: plan.folder });
    expect(args.join(" ")).not.toContain("hush");
    expect(given(args, "--env")).toEqual(["SECRET", "HOME=/home/me"]);
    expect(env).toEqual({ PATH: "/bin", HOME: "/root", SECRET: "hush" });
    expect(args.slice(-3)).toEqual(["baton-1", "/bin/agent", "--go"]);
  });
});
