import { isSecretVariable } from "./names.ts";

/** What a command of the user's needs to run at all, and to run as it does in their own shell. */
const ALLOWED = [
  // Who and where
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "PWD",
  "HOSTNAME",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "CI",
  "TMPDIR",
  "TMP",
  "TEMP",
  "XDG_*",
  // A desktop that shows a notice
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "WSL_DISTRO_NAME",
  "WSL_INTEROP",
  "WSLENV",
  // The way out
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "FTP_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "ftp_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "AWS_CA_BUNDLE",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "SSH_ASKPASS",
  // Git, as the user set it up. GIT_CONFIG_COUNT and its values are not here: they hold headers with tokens.
  "GIT_AUTHOR_*",
  "GIT_COMMITTER_*",
  "GIT_ASKPASS",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_TERMINAL_PROMPT",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  // Where tools are
  "npm_config_*",
  "NPM_CONFIG_*",
  "NODE_ENV",
  "NODE_PATH",
  "NVM_DIR",
  "NVM_BIN",
  "FNM_DIR",
  "VOLTA_HOME",
  "PNPM_HOME",
  "COREPACK_HOME",
  "BUN_INSTALL",
  "DENO_DIR",
  "ASDF_DIR",
  "ASDF_DATA_DIR",
  "MISE_DATA_DIR",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "GOPATH",
  "GOROOT",
  "GOBIN",
  "JAVA_HOME",
  "ANDROID_HOME",
  "GEM_HOME",
  "RBENV_ROOT",
  "SDKMAN_DIR",
  "NIX_PATH",
  "NIX_PROFILES",
  "HOMEBREW_PREFIX",
  "BATON_*",
];

const exact = new Set(ALLOWED.filter((name) => !name.endsWith("*")));
const prefixes = ALLOWED.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

export interface Grants {
  /** Variables that the configuration gives by name. */
  named: readonly string[];
  /** How the names begin of those that tell where a job's workspace is, without their underscore. */
  prefix?: string;
}

/** The environment of a hook or a setup command: what is on the list, and what the configuration names. */
export function commandEnvironment(
  env: Readonly<Record<string, string>>,
  { named, prefix }: Grants,
): Record<string, string> {
  const begins = prefix === undefined ? prefixes : [...prefixes, `${prefix}_`];
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        named.includes(name) ||
        ((exact.has(name) || begins.some((each) => name.startsWith(each))) && !isWithheld(name, value)),
    ),
  );
}

/** A proxy is of no use without the password in its address. */
function isWithheld(name: string, value: string): boolean {
  return !/_proxy$/i.test(name) && isSecretVariable(name, value);
}
