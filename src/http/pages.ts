import { createHash } from "node:crypto";
import { API } from "./operations.ts";

export const SIGN_IN_PAGE = "/sign-in";

/** Takes the code from behind the `#`, which was sent to nobody, and trades it for a cookie. */
const SCRIPT = `
const said = document.getElementById("said");
const code = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (code === "") said.textContent = "You are not signed in. Run this where the fleet runs: baton dashboard";
else fetch("${API}/session", {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json" },
  body: JSON.stringify({ code }),
}).then(async (answer) => {
  if (answer.ok) location.replace("/");
  else said.textContent = (await answer.json()).detail;
}, () => { said.textContent = "The server does not answer."; });
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Baton</title>
<p id="said">Signing in …</p>
<script>${SCRIPT}</script>
</html>
`;

const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export function signInPage(): Response {
  return new Response(PAGE, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
    },
  });
}
