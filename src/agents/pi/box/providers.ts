import type { Dialect } from "../../box/dialects.ts";

/** Who serves models, and how they are asked and signed in to. */
export interface Provider {
  upstream: string;
  dialect: Dialect;
  /** The variables that its key may be in, first of all. */
  variables: readonly string[];
}

/** Of the APIs that pi has names for, those whose answers Baton can count. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  "anthropic-messages": "messages",
  "openai-responses": "responses",
  "openai-completions": "completions",
  "google-generative-ai": "gemini",
};

const provider = (upstream: string, dialect: Dialect, ...variables: string[]): Provider => ({
  upstream,
  dialect,
  variables,
});

/** As pi 0.87 has them, where all models of one are asked in the same way. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: provider("https://api.anthropic.com", "messages", "ANTHROPIC_API_KEY"),
  cerebras: provider("https://api.cerebras.ai/v1", "completions", "CEREBRAS_API_KEY"),
  deepseek: provider("https://api.deepseek.com", "completions", "DEEPSEEK_API_KEY"),
  google: provider("https://generativelanguage.googleapis.com/v1beta", "gemini", "GEMINI_API_KEY"),
  groq: provider("https://api.groq.com/openai/v1", "completions", "GROQ_API_KEY"),
  huggingface: provider("https://router.huggingface.co/v1", "completions", "HF_TOKEN"),
  "kimi-coding": provider("https://api.kimi.com/coding", "messages", "KIMI_API_KEY"),
  meta: provider("https://api.meta.ai/v1", "responses", "META_API_KEY"),
  minimax: provider("https://api.minimax.io/anthropic", "messages", "MINIMAX_API_KEY"),
  moonshotai: provider("https://api.moonshot.ai/v1", "completions", "MOONSHOT_API_KEY"),
  nvidia: provider("https://integrate.api.nvidia.com/v1", "completions", "NVIDIA_API_KEY"),
  openai: provider("https://api.openai.com/v1", "responses", "OPENAI_API_KEY"),
  together: provider("https://api.together.ai/v1", "completions", "TOGETHER_API_KEY"),
  xai: provider("https://api.x.ai/v1", "responses", "XAI_API_KEY"),
  zai: provider("https://api.z.ai/api/coding/paas/v4", "completions", "ZAI_API_KEY"),
};

/** Claude's models are asked in their own way there. */
const BY_OPENROUTER = /^anthropic\/.*(?<!:batch)$/;

export function providerOf(id: string, model: string): Provider | undefined {
  if (id !== "openrouter") return Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  return BY_OPENROUTER.test(model)
    ? provider("https://openrouter.ai/api", "messages", "OPENROUTER_API_KEY")
    : provider("https://openrouter.ai/api/v1", "completions", "OPENROUTER_API_KEY");
}

/** All that pi signs in with by itself, to whomever. */
export const CREDENTIALS: readonly string[] = [
  ...Object.values(PROVIDERS).flatMap(({ variables }) => variables),
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_OAUTH_TOKEN",
  "ANT_LING_API_KEY",
  "AI_GATEWAY_API_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_OPENAI_API_KEY",
  "BASETEN_API_KEY",
  "CLOUDFLARE_API_KEY",
  "COPILOT_GITHUB_TOKEN",
  "FIREWORKS_API_KEY",
  "GOOGLE_CLOUD_API_KEY",
  "MINIMAX_CN_API_KEY",
  "MISTRAL_API_KEY",
  "OPENCODE_API_KEY",
  "OPENROUTER_API_KEY",
  "QWEN_TOKEN_PLAN_API_KEY",
  "QWEN_TOKEN_PLAN_CN_API_KEY",
  "RADIUS_API_KEY",
  "XIAOMI_API_KEY",
  "XIAOMI_TOKEN_PLAN_AMS_API_KEY",
  "XIAOMI_TOKEN_PLAN_CN_API_KEY",
  "XIAOMI_TOKEN_PLAN_SGP_API_KEY",
  "ZAI_CODING_CN_API_KEY",
];
