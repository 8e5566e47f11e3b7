import { describe, expect, it } from "vitest";
import { ConfigError } from "../error.ts";
import { parseConfig } from "../layers/parse.ts";

function boxOf(docker: string) {
  const text = `agents:\n  - name: coder\n    docker: ${docker}\n`;
  return parseConfig(text, "/project/baton.yaml", "/home/me", {}).agents[0]?.box;
}

function refusal(docker: string): string {
  try {
    boxOf(docker);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("docker", () => {
  it("is off unless it is enabled", () => {
    expect(boxOf("{ image: x }")).toBeUndefined();
    expect(boxOf("{ enabled: true }")).toMatchObject({ network: { kind: "api" }, setupNetwork: "bridge" });
  });

  it("reads what other tools call it", () => {
    expect(
      boxOf(
        '{ enabled: true, image: x, network: bridge, memory: 2g, cpu_shares: 512, user: "1000:1000", volumes: ["~/.npm:/root/.npm:ro", "cache:/cache"], ports: ["8080:80", 9000] }',
      ),
    ).toMatchObject({
      memory: 2 ** 31,
      volumes: [
        { source: "/home/me/.npm", target: "/root/.npm", readOnly: true },
        { source: "cache", target: "/cache", readOnly: false },
      ],
      ports: [
        { address: "127.0.0.1", outside: 8080, inside: 80 },
        { address: "127.0.0.1", outside: 9000, inside: 9000 },
      ],
    });
  });

  it.each([
    ["{ enabled: true, ephemeral: false }", "a container ends with its job"],
    ["{ enabled: true, max_containers: 5 }", "a job has one container"],
    ["{ enabled: true, host_config: {} }", "by the keys of docker"],
    ["{ enabled: true, base_image: x }", "use image"],
    ["{ enabled: true, engine: podmann }", 'did you mean "podman"?'],
    ["{ enabled: true, engine: podman }", "podman needs an image"],
    ["{ enabled: true, engine: bwrap, memory: 1g }", "it cannot limit memory"],
    ["{ enabled: true, engine: bwrap, network: bridge }", "has no bridge"],
    ["{ enabled: true, image: x, ports: ['8080:80'] }", "set docker.network to bridge"],
    ["{ enabled: true, image: x, memory: 1k }", "6m or more"],
    ["{ enabled: true, image: x, cpus: 1, cpu_quota: 50000 }", "leave one of them out"],
    ["{ enabled: true, image: x, network: { allow: ['http://x'] } }", "the name of a host"],
    ["{ enabled: true, image: x, volumes: [nowhere] }", "host:container"],
  ])("refuses %s with what to do", (docker, words) => {
    expect(refusal(docker)).toContain(words);
    expect(refusal(docker)).toMatch(/baton\.yaml:3:/);
  });
});
