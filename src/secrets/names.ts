/** Whatever stands around it. */
const STRONG =
  /passw(?:or)?d|passphrase|passcode|secret|api_?key|apitoken|private_?key|access_?key|secret_?key|account_?key|shared_?access|encryption_?key|signing_?key|master_?key|client_?key|session_?key|deploy_?key|service_?key|host_?key|app(?:lication)?_?key|auth_?key|license_?key|storage_?key|write_?key|admin_?key|(?<!max_?)token(?!s|iz|_?(?:count|limit|type|usage|kind))|credential|_authtoken|jwt|bearer|x_amz_signature|x_goog_signature/;
/** As a word of its own only. */
const WORDS = new Set([
  "pwd",
  "pass",
  "passwd",
  "auth",
  "pat",
  "psk",
  "sig",
  "otp",
  "cookie",
  "authorization",
]);
/** `SECRET_NAME` names one and is none; neither is the sign of where one is. */
const ABOUT =
  /(?:^|_)(?:name|names|type|types|kind|url|uri|endpoint|file|path|dir|folder|env|var|id|ids|sock|socket|mode|method|scheme|algorithm|alg|length|len|size|count|limit|max|min|ttl|expiry|expires|expiration|expires_in|at|age|policy|rule|rules|field|label|hint|title|text|message|error|help|prompt|placeholder|regex|pattern|format|version|provider|store|manager|program|command|helper|enabled|required|public|header|prefix|suffix|position|start|end|kinds|budget|usage|window)$/;

/** `apiKey`, `api-key` and `API_KEY` are one name. */
function normal(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** The same few names come again and again. */
const asked = new Map<string, boolean>();
const MOST_ASKED = 2_000;

/** Whether what stands beside this name in a text would be a secret. */
export function isSecretName(name: string): boolean {
  const known = asked.get(name);
  if (known !== undefined) return known;
  if (asked.size >= MOST_ASKED) asked.clear();
  const answer = namesSecret(name);
  asked.set(name, answer);
  return answer;
}

function namesSecret(name: string): boolean {
  const plain = normal(name);
  if (ABOUT.test(plain)) return false;
  return STRONG.test(plain) || plain.split("_").some((word) => WORDS.has(word));
}

/** A folder, a path to the agent that holds the keys, or a program that asks for one, not a key. */
const NO_SECRETS = ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GIT_ASKPASS", "SSH_ASKPASS", "XAUTHORITY"];
/** `GOOGLE_APPLICATION_CREDENTIALS` and the like say where they are. */
const PLACE_OF_CREDENTIALS = /credentials$/i;
/** `postgres://user:password@host` */
const PASSWORD_IN_URL = /^[a-z][\w+.-]{0,30}:\/\/[^/\s:@]{0,200}:[^/\s@]{1,500}@/i;

/** The same of an environment variable: what holds nothing but a key is often called `SOMETHING_KEY`. */
export function isSecretVariable(name: string, value: string): boolean {
  if (NO_SECRETS.includes(name)) return false;
  if (PLACE_OF_CREDENTIALS.test(name) && /^[/~][\w./-]*$/.test(value)) return false;
  return isSecretName(name) || /(?:^|_)key$/i.test(name) || PASSWORD_IN_URL.test(value);
}
