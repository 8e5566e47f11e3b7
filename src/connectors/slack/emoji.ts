/** Slack knows emoji by name only. */
const NAMES: Record<string, string> = {
  "👀": "eyes",
  "👍": "thumbsup",
  "👎": "thumbsdown",
  "✅": "white_check_mark",
  "❌": "x",
  "⏳": "hourglass_flowing_sand",
  "⌛": "hourglass",
  "🤖": "robot_face",
  "🚀": "rocket",
  "🔥": "fire",
  "💡": "bulb",
  "🎉": "tada",
  "🙏": "pray",
  "👋": "wave",
  "⚙": "gear",
  "🛠": "hammer_and_wrench",
  "🔧": "wrench",
  "🏃": "runner",
  "✍": "writing_hand",
  "🧠": "brain",
  "📝": "memo",
  "💬": "speech_balloon",
  "⚡": "zap",
};

/** Undefined for one that Slack would not know. */
export function emojiName(emoji: string): string | undefined {
  const bare = emoji.trim().replaceAll("\ufe0f", "");
  const named = /^:?([a-z0-9_+'-]{1,100}):?$/.exec(bare)?.[1];
  return named ?? NAMES[bare];
}
