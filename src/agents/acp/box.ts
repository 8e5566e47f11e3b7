import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { BoxError } from "../../box/error.ts";
import type { BoxNeeds } from "../../box/needs.ts";
import { ACP_PRESETS, type AcpPresetName, acpPresetIn } from "../../config/runtimes/acp.ts";
import { fromJson } from "../../util/json.ts";
import type { BoxSetting } from "../agent.ts";
import { doorTo } from "../box/dialects.ts";
import { type ProgramInside, programInside } from "../box/script-program.ts";
import { claudeBoxNeeds } from "../claude/box.ts";
import { nativeProgram } from "../codex/box/native-program.ts";
import { codexBoxNeeds } from "../codex/box/needs.ts";
import { codexFilesToApi } from "../codex/box/settings-inside.ts";
import { atOwnPrices } from "../price.ts";
import { acpModels } from "./models.ts";
import { type Command, commandIn, nameOf } from "./program.ts";
import { fieldsIn } from "./told/tools.ts";

type Boxed = Exclude<AcpPresetName, "opencode">;

/** What is known of a program that speaks the protocol, for its container. Of others it is not known where they keep their sessions. */
export function acpBoxNeeds(
  preset: AcpPresetName | undefined,
  command: Command,
): ((setting: BoxSetting) => BoxNeeds) | undefined {
  if (preset === undefined || preset === "opencode") return undefined;
  return (setting) => {
    const { command: started, readable } = acpInside(command, setting);
    const needs = NEEDS[preset](setting, started[0]);
    // Its server for Baton's own tools asks Baton.
    return { ...needs, readable: [...readable, process.execPath, ...needs.readable], asksBaton: true };
  };
}

/** How it is started in a container, where nothing can be downloaded. */
export function acpInside(
  command: Command,
  setting: Pick<BoxSetting, "env" | "cwd" | "executable">,
): ProgramInside {
  const preset = acpPresetIn(command);
  const [program, ...args] = commandIn(command, setting) ?? [];
  const isItself = setting.executable !== undefined || acpPresetIn([command[0]]) === preset;
  if (program === undefined || preset === undefined || !isItself) {
    throw new BoxError(
      program === undefined
        ? `${nameOf(command)} is not there.`
        : `${command[0]} only starts ${nameOf(command)}, and what is not installed is not in the container.`,
      `Install it${preset ? ` with \`npm install -g ${ACP_PRESETS[preset].package}\`, and set command: ${preset}` : ""}.`,
      "enabled",
    );
  }
  const inside = programInside(program, setting.cwd);
  return { ...inside, command: [...inside.command, ...args] };
}

const NEEDS: Record<Boxed, (setting: BoxSetting, program: string) => BoxNeeds> = {
  "claude-agent-acp": (setting, program) => claudeBoxNeeds({ ...setting, program }, true),
  "codex-acp": (setting, program) => {
    const needs = codexBoxNeeds({ ...setting, program });
    const { CODEX_PATH: own } = setting.env;
    const codex = own ? nativeProgram(own) : undefined;
    return {
      ...needs,
      ...(codex !== undefined && {
        readable: [...needs.readable, codex],
        env: { ...needs.env, CODEX_PATH: codex },
      }),
      filesToApi: (way) => codexFilesToApi(setting.env, way),
    };
  },
  gemini: geminiBoxNeeds,
};

const GEMINI_KEY = "GEMINI_API_KEY";
const GEMINI_ADDRESS = "GOOGLE_GEMINI_BASE_URL";
const SETTINGS = "settings.json";
/** What a person has written for Gemini CLI, or installed into it. */
const OF_THE_PERSON = [
  SETTINGS,
  "GEMINI.md",
  "commands",
  "extensions",
  "skills",
  "agents",
  "policies",
  "trustedFolders.json",
];

function geminiBoxNeeds({ env, prices }: BoxSetting, program: string): BoxNeeds {
  const home = join(env.HOME ?? homedir(), ".gemini");
  const key = env[GEMINI_KEY];
  const { priceOf } = atOwnPrices(acpModels, prices);
  const upstream = env[GEMINI_ADDRESS] || "https://generativelanguage.googleapis.com";
  return {
    program,
    readable: OF_THE_PERSON.map((name) => join(home, name)).filter(existsSync),
    writable: [],
    memory: [home],
    env: {},
    credentials: [GEMINI_KEY, "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
    signInFiles: ["oauth_creds.json", "google_accounts.json"]
      .map((name) => join(home, name))
      .filter(existsSync),
    api: key
      ? doorTo("gemini", { upstream, key, priceOf })
      : {
          problem: `With docker.network: api, Baton signs in for the agent, and it can do so only with ${GEMINI_KEY}.`,
          fix: "Set it, or docker.network to bridge, or to host with bwrap: the agent then signs in by itself.",
        },
    toApi: ({ port, token }) => ({ [GEMINI_KEY]: token, [GEMINI_ADDRESS]: `http://127.0.0.1:${port}` }),
    filesToApi: () => ({ [join(home, SETTINGS)]: JSON.stringify(signedInByKey(join(home, SETTINGS))) }),
    direct: [],
    asksModelBy: "port",
    asksBaton: true,
  };
}

/** The user's settings, but for how it signs in, and for what it would tell its makers, whom it cannot reach. */
function signedInByKey(path: string): object {
  const settings = fieldsIn(existsSync(path) ? fromJson(readFileSync(path, "utf8")) : {});
  const { security, privacy, general } = settings;
  const { auth, ...rest } = fieldsIn(security);
  return {
    ...settings,
    security: { ...rest, auth: { ...fieldsIn(auth), selectedType: "gemini-api-key" } },
    privacy: { ...fieldsIn(privacy), usageStatisticsEnabled: false },
    general: { ...fieldsIn(general), enableAutoUpdate: false, enableAutoUpdateNotification: false },
  };
}
