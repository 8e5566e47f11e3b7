/** Of a long value so much is looked at. */
const ENOUGH = 128;

/** What people write where a secret would stand. */
const PLACEHOLDER =
  /^(?:\$|<|\{|%|#|\*|@|\[redacted|your|my[-_]|example|change|insert|replace|enter|todo|dummy|sample|placeholder|process\.|env[.[]|os\.|import|require|function|null|undefined|true|false)|\.\.\.|…|x{4}|\*{3}|EXAMPLE|1234567890abcdef|^(?:0123456789|123456789|abcdef)/i;
/** A thing of a program, not a text: `config.token2`, `getToken(1)`. */
const EXPRESSION = /^[A-Za-z_$][\w$]*[.?!][\w$.?!]*$|[()[\]]|=>|::|->|^[./~][\w./~-]*$|^https?:\/\//;
/** Something with a number in it that is no secret. */
const COMMON =
  /^(?:v?\d[\d.]*(?:[-.+][a-z]+[\d.]*)?|\d{4}-\d\d-\d\d.*|[\d.,:%-]+|#?[\da-f]{3,8}|\w*Array(?:<\w*>)?|(?:sha|md|aes|rsa|ecdsa|hmac|ed|utf|base|es|hs|rs|ps)[-_]?\d+[\w-]*)$/i;

interface Looks {
  digits: number;
  letters: number;
  /** How often the kind of character changes: often where nobody chose them. */
  changes: number;
  length: number;
}

function looksOf(value: string): Looks {
  const looks = { digits: 0, letters: 0, changes: 0, length: value.length };
  let before = -1;
  for (let index = 0; index < value.length; index++) {
    const kind = kindOf(value.charCodeAt(index));
    if (kind === 0) looks.digits++;
    else if (kind < 3) looks.letters++;
    if (kind !== before && before !== -1) looks.changes++;
    before = kind;
  }
  return looks;
}

function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return 3;
}

/** Words have none. */
export function hasDigit(text: string, from: number, to: number): boolean {
  const end = Math.min(to, from + ENOUGH);
  for (let index = from; index < end; index++) if (kindOf(text.charCodeAt(index)) === 0) return true;
  return false;
}

export interface Written {
  quoted: boolean;
  /** As a shell or a file of variables has it: what stands there is always a value. */
  assigned: boolean;
  /** The same in capitals, such as `DB_PASSWORD=`: there a word can be a password too. */
  variable?: boolean;
}

const SHORTEST_PASSWORD = 6;

/** Whether a value beside a secret-looking name can be a secret, and not a word, a placeholder or code. */
export function canBeSecret(value: string, { quoted, assigned, variable }: Written): boolean {
  if (value.length < (variable ? SHORTEST_PASSWORD : 8) || /\s/.test(value)) return false;
  const begin = value.slice(0, ENOUGH);
  if (PLACEHOLDER.test(begin) || COMMON.test(begin)) return false;
  if (variable && !EXPRESSION.test(begin)) return true;
  if (!assigned && EXPRESSION.test(begin)) return false;
  const { digits, letters, changes, length } = looksOf(begin);
  if (letters === 0) return false;
  if (digits === 0) return (quoted || assigned) && length >= 20 && changes * 5 >= length * 2;
  if (assigned) return true;
  // Code beside a name: `token: tokenV2`. A value has more of it.
  return quoted ? changes >= 2 || digits >= 3 : changes >= 3 || (digits >= 4 && length >= 12);
}
