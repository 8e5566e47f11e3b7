const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;

/** The words of a command line, as a shell takes them apart: quotes and backslashes, and nothing else. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    const [space = ""] = /^\s*/.exec(line.slice(at)) ?? [];
    at += space.length;
    let word: string | undefined;
    for (;;) {
      PIECE.lastIndex = at;
      const [piece, single, double, escaped, plain] = PIECE.exec(line) ?? [];
      if (piece === undefined) break;
      word = (word ?? "") + (single ?? double?.replace(/\\([$`"\\\n])/g, "$1") ?? escaped ?? plain ?? "");
      at += piece.length;
    }
    if (word === undefined) return at < line.length ? [...words, line.slice(at)] : words;
    words.push(word);
  }
  return words;
}
