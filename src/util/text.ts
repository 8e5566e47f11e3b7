/** Without line breaks or runs of white space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
