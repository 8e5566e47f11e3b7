/** Secrets of many kinds, made anew at each run: in this file stand only pieces, so that no scanner takes it for a leak. */

const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CAPITALS = `${UPPER}234567`;
const ALNUM = `${DIGITS}${UPPER}${UPPER.toLowerCase()}`;
const SLUG = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

/** The same at each run, so that what gets through once gets through again. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const next = numbers(13);

/** Begins with a letter and has a digit, as a real one of this length does. */
function some(alphabet: string, length: number): string {
  const letters = [...alphabet].filter((letter) => /[a-zA-Z]/.test(letter));
  const body = Array.from({ length: length - 2 }, () => alphabet[Math.floor(next() * alphabet.length)]);
  return `${letters[Math.floor(next() * letters.length)] ?? "7"}${body.join("")}7`;
}

const hex = (length: number) => some(HEX, length);
const alnum = (length: number) => some(ALNUM, length);
const slug = (length: number) => some(SLUG, length);
const capitals = (length: number) => some(CAPITALS, length);
const base64 = (length: number) => some(BASE64, length);
const digits = (length: number) => Array.from({ length }, () => 1 + Math.floor(next() * 9)).join("");
const uuid = () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;
const json64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const lines = (count: number) => Array.from({ length: count }, () => base64(64)).join("\n");

/** What nobody may read, and the text that it comes in where that is more. */
export interface Secret {
  kind: string;
  secret: string;
  text: string;
}

/** `prefix|body`: put together here. */
const begun = (kind: string, prefix: string, body: string): Secret => {
  const secret = prefix.replaceAll("|", "") + body;
  return { kind, secret, text: secret };
};

const beside = (kind: string, before: string, secret: string, after = ""): Secret => ({
  kind,
  secret,
  text: before + secret + after,
});

function key(kind: string, label: string): Secret[] {
  const [first, last] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`];
  const body = lines(6);
  return [
    { kind, secret: body, text: `${first}\n${body}\n${last}` },
    { kind: `${kind}, its end cut off`, secret: body, text: `${first}\n${body}` },
    { kind: `${kind}, its beginning cut off`, secret: body, text: `${body}\n${last}` },
    {
      kind: `${kind}, on one line`,
      secret: body.replaceAll("\n", "\\n"),
      text: `${first}\\n${body.replaceAll("\n", "\\n")}\\n${last}`,
    },
    {
      kind: `${kind}, set in`,
      secret: body.replaceAll("\n", "\n    "),
      text: `${first}\n    ${body.replaceAll("\n", "\n    ")}\n    ${last}`,
    },
  ];
}

function putty(): Secret {
  const secret = lines(3);
  return {
    kind: "PuTTY key",
    secret,
    text: `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 3\n${secret}\n`,
  };
}

function serviceAccount(): Secret {
  const secret = lines(4).replaceAll("\n", "\\n");
  const label = `${"PRIVATE"} KEY-----`;
  const text = `{"type": "service_account", "private_key": "-----BEGIN ${label}\\n${secret}\\n-----END ${label}\\n"}`;
  return { kind: "Google, service account", secret, text };
}

const privateKey = (kind: string) => `${kind}PRIVATE${" KEY"}`;

export function tokenShapes(): Secret[] {
  const bot = Buffer.from(digits(18)).toString("base64url");
  const jwt = `${json64({ alg: "HS256", typ: "JWT" })}.${json64({ sub: digits(10) })}.${slug(43)}`;
  return [
    begun("GitHub, personal", "gh|p_", alnum(36)),
    begun("GitHub, OAuth", "gh|o_", alnum(36)),
    begun("GitHub, user to server", "gh|u_", alnum(36)),
    begun("GitHub, server to server", "gh|s_", alnum(36)),
    begun("GitHub, refresh", "gh|r_", alnum(76)),
    begun("GitHub, fine-grained", "github|_pat_", `${alnum(22)}_${alnum(59)}`),
    begun("GitLab, personal", "gl|pat-", slug(20)),
    begun("GitLab, deploy", "gl|dt-", slug(20)),
    begun("GitLab, runner", "gl|rt-", slug(20)),
    begun("GitLab, job", "gl|cbt-", slug(24)),
    begun("GitLab, trigger", "gl|ptt-", hex(40)),
    begun("Slack, bot", "xox|b-", `${digits(12)}-${digits(12)}-${alnum(24)}`),
    begun("Slack, user", "xox|p-", `${digits(12)}-${digits(12)}-${hex(32)}`),
    begun("Slack, refresh", "xox|e-", `1-${alnum(146)}`),
    begun("Slack, app", "xa|pp-", `1-A${capitals(10)}-${digits(13)}-${hex(64)}`),
    beside(
      "Slack, webhook",
      "https://hooks.sla" + "ck.com/services/",
      `T${capitals(8)}/B${capitals(8)}/${alnum(24)}`,
    ),
    beside("Discord, webhook", "https://discord.com/api/web" + "hooks/", `${digits(18)}/${slug(68)}`),
    begun("Discord, bot", "", `${bot}.${slug(6)}.${slug(38)}`),
    begun("Telegram", "", `${digits(10)}:AA${slug(33)}`),
    begun("AWS, access key", "AK|IA", capitals(16)),
    begun("AWS, temporary", "AS|IA", capitals(16)),
    beside("AWS, secret by name", "aws_secret_access_key = ", base64(40)),
    beside("AWS, session by name", "AWS_SESSION_TOKEN=", base64(200)),
    begun("AWS, Bedrock", "AB|SK", base64(128)),
    begun("Google, API", "AI|za", slug(35)),
    begun("Google, OAuth", "ya|29.", slug(60)),
    begun("Google, client secret", "GOC|SPX-", slug(28)),
    begun("Google, refresh", "1/|/0", slug(60)),
    serviceAccount(),
    beside(
      "Azure, storage",
      "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=",
      `${base64(86)}==`,
      ";EndpointSuffix=core",
    ),
    beside(
      "Azure, service bus",
      "Endpoint=sb://shop/;SharedAccessKeyName=Root;SharedAccessKey=",
      `${base64(43)}=`,
    ),
    beside("Azure, SAS", "https://shop.blob.core/x?sv=2024-01-01&se=2030&sig=", `${alnum(43)}%3D`),
    begun("Azure, client secret", "", `${alnum(3)}8Q~${slug(34)}`),
    begun("Anthropic", "sk-|ant-api03-", slug(93)),
    begun("Anthropic, OAuth", "sk-|ant-oat01-", slug(90)),
    begun("OpenAI", "s|k-", alnum(48)),
    begun("OpenAI, project", "sk-|proj-", slug(120)),
    begun("OpenAI, service account", "sk-|svcacct-", slug(120)),
    begun("OpenRouter", "sk-|or-v1-", hex(64)),
    begun("Groq", "gs|k_", alnum(52)),
    begun("xAI", "xa|i-", alnum(80)),
    begun("Perplexity", "pp|lx-", alnum(48)),
    begun("Hugging Face", "h|f_", alnum(34)),
    begun("Replicate", "r|8_", alnum(37)),
    begun("NVIDIA", "nv|api-", slug(64)),
    begun("LangSmith", "lsv2|_pt_", `${hex(32)}_${hex(10)}`),
    begun("Tavily", "tv|ly-", alnum(32)),
    begun("Pinecone", "pc|sk_", `${alnum(5)}_${alnum(63)}`),
    beside("Cohere by name", "COHERE_API_KEY=", alnum(40)),
    beside("Mistral by name", "MISTRAL_API_KEY: ", alnum(32)),
    begun("Stripe", "sk_|live_", alnum(24)),
    begun("Stripe, test", "sk_|test_", alnum(24)),
    begun("Stripe, restricted", "rk_|live_", alnum(24)),
    begun("Stripe, webhook", "wh|sec_", alnum(32)),
    begun("Square", "sq0|atp-", slug(22)),
    begun("Square, secret", "sq0|csp-", slug(43)),
    begun("PayPal", "access_token|$production$", alnum(48)),
    begun("Plaid", "access-|production-", uuid()),
    begun("Razorpay", "rzp|_live_", alnum(14)),
    begun("Shopify", "shp|at_", hex(32)),
    begun("Shopify, private", "shp|pa_", hex(32)),
    begun("Twilio", "S|K", hex(32)),
    beside("Twilio by name", "TWILIO_AUTH_TOKEN=", hex(32)),
    begun("SendGrid", "S|G.", `${slug(22)}.${slug(43)}`),
    begun("Mailgun", "ke|y-", hex(32)),
    begun("Mailchimp", "", `${hex(32)}-us12`),
    begun("Brevo", "xkey|sib-", `${hex(64)}-${alnum(16)}`),
    begun("Resend", "r|e_", `${alnum(8)}_${alnum(24)}`),
    begun("npm", "np|m_", alnum(36)),
    beside("npm, in .npmrc", "//registry.example.invalid/:_authToken=", uuid()),
    beside("npm, password in .npmrc", "//registry.example.invalid/:_password=", base64(24)),
    begun("PyPI", "py|pi-", `AgEIcHlwaS5vcmc${slug(130)}`),
    begun("RubyGems", "ruby|gems_", hex(48)),
    begun("NuGet", "oy|2", alnum(43).toLowerCase()),
    begun("Docker", "dckr|_pat_", slug(27)),
    beside("Docker, config", '{"auths":{"x":{"auth":"', base64(40), '"}}}'),
    begun("DigitalOcean", "dop|_v1_", hex(64)),
    begun("Heroku", "HR|KU-", uuid()),
    beside("Heroku by name", "HEROKU_API_KEY=", uuid()),
    begun("Fly", "fo|1_", slug(43)),
    begun("Fly, macaroon", "fm|2_", base64(120)),
    begun("Render", "rn|d_", alnum(28)),
    begun("Netlify", "nf|p_", alnum(40)),
    beside("Vercel by name", "VERCEL_TOKEN=", alnum(24)),
    beside("Cloudflare by name", "CLOUDFLARE_API_TOKEN: ", slug(40)),
    beside("Datadog by name", "DD_API_KEY=", hex(32)),
    begun("Linear", "lin|_api_", alnum(40)),
    begun("Notion", "nt|n_", alnum(46)),
    begun("Notion, earlier", "sec|ret_", alnum(43)),
    begun("Atlassian", "ATA|TT3", `${slug(180)}=${hex(8)}`),
    begun("Bitbucket", "AT|BB", `${alnum(32)}`),
    begun("Airtable", "pa|t", `${alnum(14)}.${hex(64)}`),
    begun("Figma", "fi|gd_", slug(40)),
    begun("Postman", "PM|AK-", `${hex(24)}-${hex(34)}`),
    begun("HubSpot", "pat-|na1-", uuid()),
    begun("Vault", "hv|s.", slug(90)),
    begun("Vault, batch", "hv|b.", slug(138)),
    begun("Terraform Cloud", "", `${alnum(14)}.atlas${"v1."}${slug(67)}`),
    begun("Databricks", "da|pi", hex(32)),
    begun("PlanetScale", "pscale|_tkn_", slug(43)),
    begun("PlanetScale, password", "pscale|_pw_", slug(43)),
    begun("Supabase", "sb|p_", hex(40)),
    begun("Neon", "na|pi_", alnum(64)),
    begun("Sentry", "sntr|ys_", `${base64(80)}_${base64(43)}`),
    begun("Sentry, user", "sntr|yu_", hex(64)),
    begun("New Relic", "NR|AK-", capitals(27)),
    begun("Grafana, service account", "gl|sa_", `${alnum(32)}_${hex(8)}`),
    begun("Grafana, cloud", "gl|c_", base64(80)),
    begun("Dynatrace", "dt0|c01.", `${capitals(24)}.${capitals(64)}`),
    begun("Doppler", "dp|.pt.", alnum(43)),
    begun("1Password", "ops|_eyJ", base64(250)),
    begun("age", "AGE-SECRET|-KEY-1", capitals(58)),
    begun("Tailscale", "ts|key-auth-", `${alnum(11)}-${alnum(32)}`),
    begun("Pulumi", "pu|l-", hex(40)),
    begun("CircleCI", "CCI|PAT_", `${alnum(22)}_${hex(40)}`),
    begun("SonarQube", "sq|u_", hex(40)),
    begun("JFrog", "AK|Cp", alnum(69)),
    begun("Alibaba", "LT|AI", alnum(20)),
    begun("JSON web token", "", jwt),
    begun("JSON web token, cut", "", `${json64({ alg: "RS256", kid: alnum(8) })}`),
    ...key("RSA key", privateKey("RSA ")),
    ...key("PKCS 8 key", privateKey("")),
    ...key("encrypted key", privateKey("ENCRYPTED ")),
    ...key("EC key", privateKey("EC ")),
    ...key("SSH key", privateKey("OPENSSH ")),
    ...key("PGP key", `PGP ${privateKey("")} BLOCK`),
    putty(),
    beside("basic authentication in an address", "https://deploy:", alnum(12), "@example.invalid/a"),
    beside("a token alone in an address", "https://", alnum(24), "@example.invalid/a"),
    beside("PostgreSQL", "postgres://shop:", alnum(16), "@db.internal:5432/shop"),
    beside("MySQL", "mysql://shop:", `${alnum(8)}!x`, "@db.internal/shop"),
    beside("MongoDB", "mongodb+srv://shop:", alnum(16), "@cluster0.example.invalid/?retryWrites=true"),
    beside("Redis", "redis://:", alnum(32), "@cache:6379/0"),
    beside("AMQP", "amqps://shop:", alnum(16), "@queue/vhost"),
    beside("ADO.NET", "Server=db;User Id=shop;Password=", alnum(16), ";Encrypt=true"),
    beside("Bearer header", "Authorization: Bearer ", alnum(32)),
    beside("Basic header", "Authorization: Basic ", Buffer.from(`me:${alnum(12)}`).toString("base64")),
    beside("Token header", "Authorization: token ", alnum(30)),
    beside("Digest header", 'authorization: Digest username="me", ', `response=${hex(32)}`),
    beside(
      "AWS header",
      "Authorization: AWS4-HMAC-SHA256 ",
      `Credential=x/20300101/eu/s3, Signature=${hex(64)}`,
    ),
    beside("key header", "x-api-key: ", alnum(32)),
    beside("Cookie", "Cookie: theme=dark; sid=", alnum(32)),
    beside("Set-Cookie", "Set-Cookie: ", `sid=s%3A${alnum(32)}; Path=/; HttpOnly`),
    beside("curl", "curl -u me:", alnum(16), " https://example.invalid"),
    beside("a flag", "deploy --token ", alnum(24)),
    beside("a flag with a sign", "deploy --api-key=", alnum(24)),
    beside("a variable", "export DB_PASSWORD=", alnum(16)),
    beside("YAML", "  password: ", alnum(20)),
    beside("YAML, a block", "  client_secret: |\n    ", `${alnum(40)}\n    ${alnum(40)}`, "\n  next: 1"),
    beside("JSON", '{"clientSecret": "', alnum(32), '"}'),
    beside("JSON in JSON", '{\\"apiKey\\":\\"', alnum(32), '\\"}'),
    beside("TOML", 'api_token = "', alnum(32), '"'),
    beside(".netrc", "machine example.invalid login me password ", alnum(12)),
    beside(".pgpass", "db.internal:5432:shop:me:", alnum(12)),
    beside("kubeconfig, token", "    token: ", jwt),
    beside("kubeconfig, key", "    client-key-data: ", base64(400)),
    beside("WireGuard", "PrivateKey = ", `${base64(43)}=`),
    beside("a query", "GET /a?access_token=", alnum(24), "&page=2"),
  ];
}
