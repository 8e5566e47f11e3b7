import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { type Theme, theme } from "../data/looks.ts";
import { askForNotices, notices } from "../data/notices.ts";
import { Answer } from "../parts/answer.tsx";
import { isSure } from "../parts/ask.tsx";
import { attempt } from "../parts/attempt.ts";
import { Fact } from "../parts/fact.tsx";
import { Status } from "../parts/status.tsx";
import { lasting, moment } from "../parts/words.ts";

type Token = AnswerOf<"listTokens">["tokens"][number];

const THEMES: readonly { theme: Theme; name: string }[] = [
  { theme: "system", name: "as the system" },
  { theme: "dark", name: "dark" },
  { theme: "light", name: "light" },
];

/** How this browser shows things, who may look and act, and how the server is set up. */
export default function Settings() {
  return (
    <>
      <section>
        <h1>Settings</h1>
        <p class="sub">Theme and notices are of this browser; the rest is of the server.</p>
        <div class="pair">
          <div class="card">
            <h2>Theme</h2>
            <fieldset class="segments">
              <legend class="hidden-from-eyes">Theme</legend>
              {THEMES.map((each) => (
                <label key={each.theme}>
                  <input
                    type="radio"
                    name="theme"
                    checked={theme.value === each.theme}
                    onChange={() => (theme.value = each.theme)}
                  />
                  {each.name}
                </label>
              ))}
            </fieldset>
          </div>
          <Notices />
        </div>
      </section>
      <Tokens />
      <WebConfiguration />
    </>
  );
}

function Notices() {
  const { value } = notices;
  return (
    <div class="card">
      <h2>Notices</h2>
      {value === "not possible" && (
        <p class="soft">This browser shows none here. It does so for pages of this machine, or over HTTPS.</p>
      )}
      {value === "refused" && (
        <p class="soft">
          This browser was told not to show any. You can allow them in its settings for this page.
        </p>
      )}
      {(value === "on" || value === "off") && (
        <label>
          <input
            type="checkbox"
            checked={value === "on"}
            onChange={(event) => void askForNotices(event.currentTarget.checked)}
          />{" "}
          Tell me when something needs me while I look at another window
        </label>
      )}
    </div>
  );
}

function Tokens() {
  const answer = useAsked((signal) => api.listTokens({}, undefined, { signal }), []);
  const revoke = async ({ id, name, kind }: Token) => {
    const what = kind === "browser" ? `Sign ${name} out` : `Revoke ${name}`;
    const text = "Whatever uses it is refused from now on.";
    if (!(await isSure({ title: `${what}?`, text, does: kind === "browser" ? "Sign out" : "Revoke" })))
      return;
    if (await attempt(() => api.revokeToken({ token: id }), `${name} has no access any more.`))
      answer.reload();
  };
  return (
    <section>
      <div class="rows">
        <div class="group">
          <h2>Tokens and browsers</h2>
          <span>
            made with <code>baton token create</code>
          </span>
        </div>
        <Answer of={answer}>
          {({ tokens }) =>
            tokens
              .toSorted((a, b) => Number(b.state === "valid") - Number(a.state === "valid"))
              .map((token) => (
                <TokenLine key={token.id} token={token} now={now.value} revoke={() => void revoke(token)} />
              ))
          }
        </Answer>
      </div>
    </section>
  );
}

const STATES: Record<Token["state"], string> = {
  valid: "completed",
  expired: "cancelled",
  revoked: "failed",
};

function TokenLine({ token, now, revoke }: { token: Token; now: Date; revoke: () => void }) {
  const { kind, name, scopes, projects, state, usedAt, expiresAt, maxJobsPerDay, maxCostUsdPerDay } = token;
  const verb = kind === "browser" ? "Sign out" : "Revoke";
  const limits = [
    projects ? `for ${projects.map((root) => root.split("/").at(-1)).join(", ")}` : "for all projects",
    maxJobsPerDay === undefined ? undefined : `${maxJobsPerDay} jobs a day`,
    maxCostUsdPerDay === undefined ? undefined : `$${maxCostUsdPerDay} a day`,
  ];
  return (
    <div class="entry">
      <div class="line token">
        <Status status={STATES[state]} word={state} />
        <span class="wide">
          <span class="title">{name}</span>
          <span class="meta">
            {[kind, `may ${scopes.join(", ")}`, ...limits].filter(Boolean).join(" · ")}
          </span>
        </span>
        <span class="meta wide">
          {usedAt === undefined ? "never used" : `used ${moment(usedAt, now)}`}
          {expiresAt !== undefined && state === "valid" && `, expires ${moment(expiresAt, now)}`}
        </span>
        <span class="acts">
          {state === "valid" && (
            <button type="button" aria-label={`${verb} ${name}`} onClick={revoke}>
              {verb}
            </button>
          )}
        </span>
      </div>
    </div>
  );
}

function WebConfiguration() {
  const answer = useAsked((signal) => api.getServer({}, undefined, { signal }), []);
  return (
    <section>
      <div class="card narrow-card">
        <h2>The server</h2>
        <Answer of={answer}>
          {({ web, version }) => (
            <dl class="facts">
              <Fact name="version">{version}</Fact>
              <Fact name="address">{web.url}</Fact>
              <Fact name="reached from">
                {web.host === "127.0.0.1" || web.host === "::1" || web.host === "localhost"
                  ? "this machine alone"
                  : `other machines too, on ${web.host}`}
              </Fact>
              <Fact name="encrypted">{web.tls ? "yes" : web.allowInsecure ? "no, as configured" : "no"}</Fact>
              {web.allowedHosts.length > 0 && <Fact name="other names">{web.allowedHosts.join(", ")}</Fact>}
              <Fact name="a browser stays signed in for">{lasting(web.sessionExpiryMs)}</Fact>
            </dl>
          )}
        </Answer>
        <p class="soft">
          Change it under <code>web</code> in the configuration: <code>baton config show</code> says which
          file.
        </p>
      </div>
    </section>
  );
}
