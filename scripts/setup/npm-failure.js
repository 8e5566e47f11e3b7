// What it means when npm fails, from what it printed at `--loglevel=http`.

/**
 * Undefined where nothing is wrong. npm 10 and 11 can break off with exit code 0 and without naming the cause, and every npm
 * takes a full disk for a success, so the exit code alone tells nothing.
 */
export function failureOf(printed, exitCode) {
  const errors = matches(printed, /^npm (?:error|ERR!) ?(.*)$/gm).map(([, text]) => text);
  const [damage] = matches(printed, /^npm warn tar TAR_ENTRY_ERROR ((\w+).*)$/gim);
  if (exitCode === 0 && errors.length === 0 && !damage) return undefined;

  const retry = matches(printed, /^npm http (fetch \S+ (\S+) attempt \d+ failed with (\S+))$/gm).pop();
  const code = damage?.[2] ?? fieldOf("code", errors) ?? retry?.[3];
  const url = retry?.[2] ?? /https?:\/\/\S+/.exec(errors.join("\n"))?.[0];
  const path = fieldOf("path", errors);
  const isBrokenOff = errors.some((line) => line.includes("Exit handler never called"));
  const instead = damage?.[1] ?? (isBrokenOff ? retry?.[1] : undefined);
  return {
    ...meaningOf(code, { registry: url && originOf(url), path }),
    words: instead ? [instead] : errors.filter(isTelling),
    // npm undoes what it did when it fails in order; otherwise packages with half their files look complete to it.
    isUndone: !damage && !isBrokenOff,
  };
}

function meaningOf(code, { registry, path }) {
  const named = code ? ` (${code})` : "";
  const server = registry ? `the npm registry at ${registry}` : "the npm registry";
  if (/^E5\d\d$/.test(code)) return { cause: `${server} is in trouble${named}.`, advice: "Try again later." };
  switch (code) {
    case "EAI_AGAIN":
    case "ECONNABORTED":
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ENOTFOUND":
    case "ERR_SOCKET_TIMEOUT":
    case "ETIMEDOUT":
      return {
        cause: `${server} cannot be reached${named}.`,
        advice: "Check the network, and what npm uses: npm config get registry, npm config get https-proxy.",
      };
    case "CERT_HAS_EXPIRED":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        cause: `the certificate of ${server} is not trusted${named}.`,
        advice: "Where your company reads along, set NODE_EXTRA_CA_CERTS to the file with its certificate.",
      };
    case "E401":
    case "E403":
      return {
        cause: `${server} refuses access${named}.`,
        advice: "Log in with npm login, or check the token in your .npmrc.",
      };
    case "E404":
    case "ETARGET":
      return {
        cause: `${server} does not offer a package that Baton needs${named}.`,
        advice: "Check which registry npm uses: npm config get registry.",
      };
    case "EINTEGRITY":
      return {
        cause: `a package is not the one that Baton was made with${named}.`,
        advice: "Remove damaged downloads with npm cache verify, or use another registry.",
      };
    case "ENOSPC":
      return {
        cause: `the disk is full${named}.`,
        advice: "Baton and npm's cache take about 1 GB together.",
      };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return {
        cause: `npm may not write to ${path ?? "the folder"}${named}.`,
        advice: "Give yourself that folder, or clone Baton into one of yours. It never needs sudo.",
      };
    default:
      return { cause: `npm failed${named}.`, advice: "npm's own words tell why." };
  }
}

function fieldOf(name, lines) {
  return lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
}

function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return url;
  }
}

/** Neither a stack trace, nor the properties of an error once more, nor what npm says to everybody. */
function isTelling(line) {
  return /\S/.test(line) && !/^ {2,}|^\}|^(?:syscall|errno) |^\S+$|complete log of this run/.test(line);
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)];
}
