/** A prompt without the tags of its frames, which are other ones in every prompt. */
export function untagged(prompt = ""): string {
  return prompt.replace(/(<\/?[a-z-]+)-[b-v]{12}(?=>)/g, "$1");
}
