/** What a service runs, and with what. */
interface Setting {
  command: readonly string[];
  path: string;
  /** `XDG_STATE_HOME`, where the user has set it. */
  state: string | undefined;
}

/** By which launchd knows it. */
export const FLEET_LABEL = "dev.baton.fleet";

/** A unit of systemd for one user. Secrets come from a file of the user's, never from the unit. */
export function systemdUnit({ command, path, state }: Setting): string {
  return `[Unit]
Description=Baton: runs queued and scheduled jobs of coding agents
After=network.target

[Service]
Type=exec
ExecStart=${command.map(inUnit).join(" ")}
Environment=${inSetting(`PATH=${path}`)}
${state === undefined ? "" : `Environment=${inSetting(`XDG_STATE_HOME=${state}`)}\n`}EnvironmentFile=-%E/baton/environment
Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=120

[Install]
WantedBy=default.target
`;
}

/** A word of a command, in which systemd reads variables besides. */
function inUnit(word: string): string {
  return inSetting(word).replaceAll("$", "$$$$");
}

/** A word that systemd takes as it is: it reads quotes, backslashes and specifiers. */
function inSetting(word: string): string {
  const escaped = word
    .replace(/[\\"]/g, (sign) => `\\${sign}`)
    .replaceAll("%", "%%")
    .replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

/** A property list of launchd for one user. */
export function launchdPlist({ command, path, state }: Setting): string {
  const variables = { PATH: path, ...(state !== undefined && { XDG_STATE_HOME: state }) };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${FLEET_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${inXml(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables)
  .map(([name, value]) => `    <key>${name}</key>\n    <string>${inXml(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>120</integer>
</dict>
</plist>
`;
}

function inXml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
