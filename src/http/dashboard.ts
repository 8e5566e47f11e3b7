import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messageOf } from "../util/errors.ts";
import { answered } from "./answer.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(ROOT, "dist", "web");
const BUILDER = join(ROOT, "scripts", "web.ts");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const ASSET = /^\/assets\/[\w.-]+$/;
const A_YEAR = "private, max-age=31536000, immutable";

/** The pages of the dashboard. The package brings them; a checkout builds them when they are missing or old. */
export class Dashboard {
  readonly #built = built();

  /** What is at an address that is none of the API's: a file of the build, or the one page that shows every address. */
  async answer(request: Request): Promise<Response> {
    const problem = await this.#built;
    if (problem !== undefined) return new Response(`${problem}\n`, { status: 503 });
    const { pathname } = new URL(request.url);
    const isAsset = ASSET.test(pathname);
    const file = join(BUILT, isAsset ? pathname : "index.html");
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return new Response("Nothing is here.\n", { status: 404 });
    const type = TYPES[extname(file)] ?? "text/plain";
    const response = await answered(request, text, { type });
    response.headers.set("content-security-policy", POLICY);
    if (isAsset) response.headers.set("cache-control", A_YEAR);
    return response;
  }
}

/** Why it cannot be shown, if it cannot. */
async function built(): Promise<string | undefined> {
  if (!existsSync(BUILDER)) return undefined;
  try {
    await promisify(execFile)(process.execPath, [BUILDER, "--if-old"], { cwd: ROOT });
    return undefined;
  } catch (error) {
    return `The dashboard could not be built: ${messageOf(error)}\nInstall what it needs with: npm install`;
  }
}
