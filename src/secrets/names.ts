const SECRET =
  /token|secret|passw|passphrase|credential|api_?key|private_?key|(?:^|_)(?:key|auth|pat)(?:_|$)|_pwd$/i;
/** A path to the agent that holds the keys, not a key. */
const NO_SECRETS = ["SSH_AUTH_SOCK", "GIT_ASKPASS", "SSH_ASKPASS"];
/** `postgres://user:password@host` */
const PASSWORD_IN_URL = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** Which variables look like secrets, by their names or by a password in an address. */
export function secretNames(env: Record<string, string>): string[] {
  return Object.entries(env)
    .filter(
      ([name, value]) => !NO_SECRETS.includes(name) && (SECRET.test(name) || PASSWORD_IN_URL.test(value)),
    )
    .map(([name]) => name);
}
