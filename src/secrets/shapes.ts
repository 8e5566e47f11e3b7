import type { Alphabet } from "./alphabets.ts";

/** A token that is known by how it begins. Its body is a run of the alphabet, of `least` to `most` characters. */
export interface Shape {
  prefixes: readonly string[];
  alphabet: Alphabet;
  least: number;
  most: number;
  /** The body has a digit: what begins like this can be words as well. */
  digit: boolean;
}

type Row = [prefixes: string, alphabet: Alphabet, least: number, most?: number, digit?: "digit"];

const ANY = Number.POSITIVE_INFINITY;

/** Lengths are shorter than the tokens are, so that one that was cut is still known. */
const ROWS: readonly Row[] = [
  ["baton_", "slug", 40, ANY, "digit"], // Baton's own API
  // Code and packages
  ["ghp_ gho_ ghu_ ghr_", "alnum", 20], // GitHub
  ["ghs_", "dotted", 20],
  ["github_pat_", "word", 20],
  [
    "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt-",
    "dotted",
    16,
  ], // GitLab
  ["GR1348941", "slug", 16],
  ["npm_", "alnum", 30],
  ["pypi-", "slug", 40, ANY, "digit"],
  ["rubygems_", "hex", 32],
  ["dckr_pat_ dckr_oat_", "slug", 20], // Docker
  ["oy2", "alnum", 43, 43, "digit"], // NuGet
  ["cio", "alnum", 32, 32, "digit"], // crates.io
  ["CLOJARS_", "alnum", 40],
  ["AKCp", "alnum", 50, 80, "digit"], // JFrog
  ["cmVmdGtuOj", "alnum", 40, 80], // JFrog, as reference
  ["ATATT3 ATCTT3 ATSTT3 ATBB", "base64", 24, ANY, "digit"], // Atlassian, Bitbucket
  ["CCIPAT_ CCIPRJ_", "word", 20], // CircleCI
  ["bkua_ bkaj_ bkct_", "alnum", 30], // Buildkite
  ["sqp_ squ_ sqa_", "hex", 40], // SonarQube
  ["sgp_ sgd_ slk_", "word", 40, ANY, "digit"], // Sourcegraph, Segment
  ["chpt_", "alnum", 12, ANY, "digit"], // Chromatic
  ["snyk_uat.", "dotted", 20],
  // Clouds
  ["AKIA ASIA ABIA ACCA", "capitals", 16, 16], // AWS
  ["ABSK", "base64", 80], // AWS Bedrock
  ["bedrock-api-key-", "base64", 40],
  ["amzn.mws.", "slug", 32],
  ["AIza", "slug", 30, 45], // Google
  ["ya29. ya29.a0", "slug", 20],
  ["GOCSPX-", "slug", 20],
  ["1//0", "slug", 40, ANY, "digit"],
  ["dop_v1_ doo_v1_ dor_v1_", "hex", 32], // DigitalOcean
  ["HRKU-", "slug", 30], // Heroku
  ["LTAI", "alnum", 16, 26, "digit"], // Alibaba
  ["AKID", "alnum", 32, 32, "digit"], // Tencent
  ["AQVN", "slug", 35, 38, "digit"], // Yandex
  ["y0_", "slug", 50, ANY, "digit"],
  ["fo1_ fm1r_ fm1a_ fm2_", "base64", 30], // Fly
  ["rnd_", "alnum", 24, ANY, "digit"], // Render
  ["nfp_ nfc_ nfo_ nfu_ nfb_", "alnum", 30], // Netlify
  ["vcp_ vci_ vca_ vcr_ vck_", "alnum", 20, ANY, "digit"], // Vercel
  ["cfut_ cfat_ cfk_", "slug", 30, ANY, "digit"], // Cloudflare
  ["v1.0-", "slug", 100, ANY, "digit"],
  ["tskey-", "slug", 16, ANY, "digit"], // Tailscale
  ["dt0c01. dt0s16. dt0s01.", "dotted", 40], // Dynatrace
  ["tk-us-", "slug", 40], // Scalingo
  ["ddp_ ddw_", "alnum", 30, ANY, "digit"], // Deno Deploy
  // Data
  ["dapi", "hex", 32, 34], // Databricks
  ["pscale_tkn_ pscale_oauth_ pscale_pw_", "dotted", 20], // PlanetScale
  ["sbp_", "hex", 36], // Supabase
  ["sb_secret_", "slug", 20],
  ["napi_", "alnum", 40], // Neon
  ["mdb_sa_sk_", "slug", 30], // MongoDB Atlas
  ["CCDB1_", "word", 30], // CockroachDB
  ["pcsk_", "word", 40], // Pinecone
  ["phx_ phs_", "alnum", 30], // PostHog
  ["essu_", "base64", 30], // Elastic
  // Secrets' own houses
  ["hvs. hvb. hvr.", "slug", 24], // Vault
  ["dp.pt. dp.sa. dp.ct. dp.scim. dp.audit. dp.said.", "alnum", 30], // Doppler
  ["dp.st.", "dotted", 30],
  ["ops_eyJ", "base64", 40], // 1Password
  ["A3-", "slug", 32, 40, "digit"],
  ["AGE-SECRET-KEY-1 AGE-PLUGIN-", "capitals", 40], // age
  ["pul-", "hex", 40], // Pulumi
  ["nsec1", "alnum", 50, 60], // Nostr
  // Models
  ["sk-ant-", "slug", 16],
  ["sk-proj- sk-svcacct- sk-admin- sk-None-", "slug", 20],
  ["sk-or-v1- sk-or-", "hex", 32], // OpenRouter
  ["sk-lf-", "slug", 30], // Langfuse
  ["sk-", "alnum", 20, ANY],
  ["hf_ api_org_", "alnum", 30], // Hugging Face
  ["r8_", "alnum", 30, ANY, "digit"], // Replicate
  ["gsk_", "alnum", 40], // Groq
  ["xai-", "alnum", 40], // xAI
  ["pplx-", "alnum", 32], // Perplexity
  ["nvapi-", "slug", 40], // NVIDIA
  ["csk-", "alnum", 40], // Cerebras
  ["tgp_v1_", "slug", 30], // Together
  ["fw_", "alnum", 22, 24, "digit"], // Fireworks
  ["jina_", "slug", 40, ANY, "digit"],
  ["pa-", "slug", 40, 48, "digit"], // Voyage
  ["lsv2_pt_ lsv2_sk_", "word", 32], // LangSmith
  ["tvly-", "slug", 24, ANY, "digit"], // Tavily
  ["fc-", "hex", 32, 32], // Firecrawl
  ["e2b_", "hex", 40],
  ["apify_api_", "alnum", 30],
  ["wandb_v1_", "word", 40],
  // Messages
  ["xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- xwfp-", "token", 10, ANY, "digit"], // Slack
  ["SK", "hex", 32, 32], // Twilio
  ["SG.", "dotted", 40, ANY, "digit"], // SendGrid
  ["key-", "hex", 32, 32], // Mailgun
  ["xkeysib- xsmtpsib-", "slug", 40], // Brevo
  ["re_", "word", 30, 40, "digit"], // Resend
  ["mlsn.", "hex", 50], // MailerSend
  ["EAACEdEose0cBA EAA", "alnum", 80], // Facebook
  ["IGQV", "slug", 80], // Instagram
  ["AAAAAAAAAAAAAAAAAAAAA", "token", 60, 120, "digit"], // Twitter
  // Money
  ["sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_", "alnum", 16], // Stripe and others
  ["whsec_", "base64", 24],
  ["sq0atp- sq0csp- sq0idp-", "slug", 20], // Square
  ["EAAA", "slug", 56, 66, "digit"],
  ["access_token$production$ access_token$sandbox$", "dotted", 20], // PayPal
  ["access-production- access-sandbox- access-development-", "slug", 36, ANY, "digit"], // Plaid
  ["rzp_live_ rzp_test_", "alnum", 14], // Razorpay
  ["FLWSECK-", "slug", 20, ANY, "digit"], // Flutterwave
  ["shpat_ shpca_ shppa_ shpss_ shptka_ shprt_", "hex", 32], // Shopify
  ["EZAK EZTK", "alnum", 54, 54], // EasyPost
  ["shippo_live_ shippo_test_", "hex", 40],
  ["duffel_live_ duffel_test_", "slug", 40],
  ["polar_oat_", "alnum", 30],
  // Work
  ["lin_api_ lin_oauth_", "alnum", 30], // Linear
  ["ntn_", "alnum", 40], // Notion
  ["secret_", "alnum", 43, 43, "digit"],
  ["figd_ figu_ figo_ figor_ figur_", "slug", 30], // Figma
  ["PMAK-", "slug", 40], // Postman
  ["CFPAT-", "slug", 40], // Contentful
  ["tfp_", "dotted", 40], // Typeform
  ["pat-na1- pat-na2- pat-eu1-", "slug", 30], // HubSpot
  ["fio-u-", "slug", 50], // Frame.io
  ["sl.", "slug", 120, ANY, "digit"], // Dropbox
  ["p8e-", "alnum", 32], // Adobe
  ["rdme_", "alnum", 60],
  ["cal_live_", "hex", 30],
  ["API-", "capitals", 25, 40, "digit"], // Octopus
  // What is watched
  ["sntrys_ sntryu_ sntrya_", "base64", 32], // Sentry
  ["NRAK- NRII- NRJS- NRRA- NRSP-", "slug", 20], // New Relic
  ["NRAK", "capitals", 24],
  ["glsa_ glc_", "base64", 30], // Grafana
  ["eyJrIjoi", "base64", 40],
  ["hcaik_ hcalk_ hcxik_ hcxlk_", "alnum", 40], // Honeycomb
  ["sdk-", "slug", 36, 36, "digit"], // LaunchDarkly
  ["pnu_", "alnum", 36], // Prefect
  ["signkey-prod- signkey-test-", "hex", 32], // Inngest
];

export const shapes: readonly Shape[] = ROWS.map(([prefixes, alphabet, least, most = ANY, digit]) => ({
  prefixes: prefixes.split(" "),
  alphabet,
  least,
  most,
  digit: digit !== undefined,
}));
