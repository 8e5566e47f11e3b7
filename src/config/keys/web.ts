import { DEFAULTS } from "../defaults.ts";
import { key, listOf, section, type ValueOf } from "../reader/reader.ts";
import { flag, formed, number, path } from "../reader/values.ts";
import { variableName } from "./hook.ts";

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:]+)$/;
const host = formed(HOST, "an address or a name of a machine", "127.0.0.1");

export const web = section(
  {
    enabled: key(flag, "whether `baton start` serves the API and the dashboard", DEFAULTS.web.enabled),
    port: key(
      number({ least: 0, most: 65_535, whole: true }, "a port from 0 to 65535", 3232),
      "where they listen; 0 takes any that is free",
      DEFAULTS.web.port,
    ),
    host: key(
      host,
      "the address that they listen on; one that other machines can reach needs `tls_cert` or `allow_insecure`",
      DEFAULTS.web.host,
    ),
    allowed_hosts: key(
      listOf(host, "[box.example]"),
      "other names under which they may be asked for, as by a proxy; the port does not matter",
      DEFAULTS.web.allowed_hosts,
    ),
    tls_cert: key(path("~/tls/cert.pem"), "a file with a certificate, with `tls_key`: they then speak HTTPS"),
    tls_key: key(path("~/tls/key.pem"), "a file with the key of that certificate"),
    allow_insecure: key(
      flag,
      "whether other machines may ask without encryption: tokens can then be read on the way",
      DEFAULTS.web.allow_insecure,
    ),
    session_expiry_hours: key(
      number({ above: 0, most: 8_760 }, "a number of hours above 0, and of a year at most", 12),
      "how long a browser stays signed in",
      DEFAULTS.web.session_expiry_hours,
    ),
    open_browser: key(flag, "whether `baton start` opens the dashboard", DEFAULTS.web.open_browser),
  },
  "{ port: 3232 }",
);

export const webhooks = section(
  {
    enabled: key(flag, "whether schedules of `type: webhook` can be called", DEFAULTS.webhooks.enabled),
    secret_env: key(
      variableName,
      "the environment variable with the secret that callers sign with; without it they need a token of their own",
    ),
  },
  "{ enabled: true }",
);

export type WebhooksLayer = ValueOf<typeof webhooks>;
export type WebLayer = ValueOf<typeof web>;
