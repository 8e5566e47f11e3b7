import { onTestFinished } from "vitest";
import type { Connector, Heard } from "../src/connectors/connector.ts";
import { SlackConnector, type SlackOptions } from "../src/connectors/slack/slack.ts";
import { ServiceClock } from "./service-clock.ts";
import { APP_TOKEN, BOT_TOKEN, type SlackService, startSlackService } from "./slack-service.ts";

export interface Connected {
  clock: ServiceClock;
  slack: SlackService;
  connector: Connector;
  heard: Heard[];
  /** What the log says of the connection. */
  news: string[];
  signal: AbortSignal;
  /** Resolves when it has ended, with what it failed of. */
  ended: Promise<unknown>;
  end(): void;
}

interface Options extends Partial<SlackOptions> {
  scopes?: string[];
  /** How what was heard is recorded. */
  record?: (event: Heard) => Promise<void>;
}

/** The connector on a Slack of its own, on a clock that stands still. */
export async function connectSlack({
  scopes,
  record = async () => {},
  ...options
}: Options = {}): Promise<Connected> {
  const clock = new ServiceClock();
  const slack = await startSlackService({ clock, ...(scopes && { scopes }) });
  const connected = connectTo(slack, clock, record, options);
  if (!options.appToken && !options.botToken) await slack.when(() => slack.sockets.greeted === 1);
  return connected;
}

/** Another process that connects to the same Slack. */
export function connectTo(
  slack: SlackService,
  clock: ServiceClock,
  record: (event: Heard) => Promise<void> = async () => {},
  options: Partial<SlackOptions> = {},
): Connected {
  const heard: Heard[] = [];
  const news: string[] = [];
  const connector = new SlackConnector({
    botToken: BOT_TOKEN,
    appToken: APP_TOKEN,
    channels: [],
    apiUrl: slack.apiUrl,
    tell: (text) => {
      news.push(text);
      slack.changed();
    },
    clock,
    random: () => 1,
    ...options,
  });
  const ending = new AbortController();
  const hear = async (event: Heard) => {
    await record(event);
    heard.push(event);
    slack.changed();
  };
  const ended = connector.run(hear, ending.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const end = () => ending.abort();
  onTestFinished(async () => {
    end();
    await ended;
  });
  return { clock, slack, connector, heard, news, signal: ending.signal, ended, end };
}

/** The n-th thing of a kind that was heard. */
export function heardAs<K extends Heard["kind"]>(
  { slack, heard }: Pick<Connected, "slack" | "heard">,
  kind: K,
  at = 0,
): Promise<Extract<Heard, { kind: K }>> {
  const ofKind = (event: Heard): event is Extract<Heard, { kind: K }> => event.kind === kind;
  return slack.when(() => heard.filter(ofKind)[at]);
}
