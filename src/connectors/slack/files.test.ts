import { describe, expect, it } from "vitest";
import { startReceiver } from "../../../test/receiver.ts";
import { BOT_USER, markdownIn } from "../../../test/slack/workspace.ts";
import { type Connected, connectSlack, heardAs } from "../../../test/slack-connector.ts";
import { BOT_TOKEN } from "../../../test/slack-service.ts";
import { ownAddress } from "./files.ts";

const MENTION = `<@${BOT_USER}>`;

async function attached(connected: Connected, more: object = {}) {
  const files = [{ name: "log.txt", type: "text/plain", content: "first line\nsecond line" }];
  connected.slack.say("C1", "look at this", { files, more });
  const { files: found } = await heardAs(connected, "message");
  const [file] = found;
  if (!file) throw new Error("no file came");
  return file;
}

describe("a file that somebody attached", () => {
  it("is read when it is asked for, up to a size", async () => {
    const connected = await connectSlack();
    const file = await attached(connected);
    expect(file).toMatchObject({ name: "log.txt", type: "text/plain", bytes: 22 });
    expect(Buffer.from(await file.read(1_000, connected.signal)).toString()).toBe("first line\nsecond line");
    await expect(file.read(10, connected.signal)).rejects.toThrow("log.txt is larger than 10 bytes");
  });

  it("says which scope is missing where Slack shows the page to sign in instead", async () => {
    const connected = await connectSlack({ scopes: ["chat:write", "channels:history", "users:read"] });
    const file = await attached(connected);
    await expect(file.read(1_000, connected.signal)).rejects.toMatchObject({
      problem: "Slack does not give log.txt to the bot (status 302).",
      remedy: /files:read/,
    });
  });

  it("gets the token to nobody but Slack", async () => {
    const elsewhere = await startReceiver((_, response) => response.end("x"));
    const connected = await connectSlack();
    const url_private_download = `${elsewhere.url}/files-pri/F1/log.txt`;
    const file = await attached(connected, {
      files: [{ id: "F1", name: "log.txt", mimetype: "text/plain", size: 3, url_private_download }],
    });
    // What a test adds to an event stands in place of what the service would say.
    await expect(file.read(1_000, connected.signal)).rejects.toThrow(
      "is not at one of Slack's own addresses",
    );
    expect(elsewhere.received).toEqual([]);
  });

  it.each([
    ["https://files.slack.com/files-pri/T1-F1/download/a", true],
    ["https://acme.enterprise.slack.com/a", true],
    ["https://slack.com/api/x", true],
    ["https://hooks.slack-gov.com/commands/1", true],
    ["http://files.slack.com/a", false],
    ["https://files.slack.com:8443/a", false],
    ["https://evilslack.com/a", false],
    ["https://slack.com.evil.test/a", false],
    ["https://user:pass@files.slack.com/a", false],
    ["https://files.slack.com@evil.test/a", false],
    ["file:///etc/passwd", false],
    ["", false],
  ])("comes from an address of Slack's own: %s", (address, isOwn) => {
    expect(ownAddress(address, "https://slack.com/api") !== undefined).toBe(isOwn);
  });
});

describe("a long answer", () => {
  const content = `${"A line of the answer, with <tags> in it.\n".repeat(1_500)}`;
  const said = { nonce: "n1", text: "All of it is attached.", file: { name: "answer.md", content } };

  it("is attached to its message: 60,000 characters", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    slack.say("C1", `${MENTION} explain`);
    const { place } = await heardAs(connected, "message");
    expect(content.length).toBeGreaterThan(60_000);
    await connector.post(place, said, signal);
    const [text, file] = slack.said();
    expect(text && markdownIn(text)).toBe("All of it is attached.");
    expect(file).toMatchObject({ thread_ts: place.thread, files: [{ name: "answer.md" }] });
    expect(file?.files?.[0]?.content.toString()).toBe(content);
  });

  it.each(["files.getUploadURLExternal", "files.completeUploadExternal"])(
    "is attached once where the answer to %s breaks, and where it is posted again",
    async (method) => {
      const connected = await connectSlack();
      const { slack, connector, signal, clock } = connected;
      slack.say("C1", `${MENTION} explain`);
      const { place } = await heardAs(connected, "message");
      slack.fault(method, { kind: "break", after: true });
      const posting = connector.post(place, said, signal);
      if (method === "files.getUploadURLExternal") {
        await clock.sleeping(1_000);
        await clock.pass(1_000);
      }
      await posting;
      await connector.post(place, said, signal);
      expect(slack.said()).toHaveLength(2);
      expect(slack.callsOf("chat.postMessage")).toHaveLength(1);
    },
  );

  it("never shows the token to where the bytes go", async () => {
    const connected = await connectSlack();
    const elsewhere = await startReceiver((_, response) => response.end("OK"));
    const { slack, connector, signal } = connected;
    slack.say("C1", `${MENTION} explain`);
    const { place } = await heardAs(connected, "message");
    slack.uploadsTo = elsewhere.url;
    await expect(connector.post(place, said, signal)).rejects.toThrow("none of its own");
    expect(elsewhere.received).toEqual([]);
    expect(JSON.stringify(slack.calls)).not.toContain(BOT_TOKEN);
  });
});
