/** Programs and cmdlets that take files away, by name. */
const PROGRAMS = new Set([
  "rm",
  "rmdir",
  "unlink",
  "mv",
  "shred",
  "rimraf",
  "trash",
  "del",
  "erase",
  "rd",
  "remove-item",
  "move-item",
]);

const GIT_COMMANDS = new Set(
  "rm mv clean checkout switch restore reset stash merge rebase pull cherry-pick revert am apply read-tree sparse-checkout".split(
    " ",
  ),
);

/** Options of git itself whose value is a word of its own. */
const GIT_OPTIONS_WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);
const MOST_WORDS_OF_OPTIONS = 20;

/** Calls in a script that is given on the command line. */
const CALLS =
  /\b(?:shutil\.(?:rmtree|move)|os\.(?:remove|removedirs|unlink|rmdir|rename|replace)|fsp?(?:\.promises)?\.(?:rm|rmdir|unlink|rename)(?:Sync)?)\b/;

/** Whether a command of the agent's can have removed files. It need not have: it only tells that somebody meant to. */
export function removesFiles(command: string): boolean {
  if (CALLS.test(command)) return true;
  const words = command.split(/[\s;&|()`'"{}<>,]+/);
  const findDeletes = words.includes("-delete");
  const rsyncDeletes = words.some((word) => /^--(?:delete|remove-source-files)/.test(word));
  return words.some((word, at) => {
    const program = word
      .slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1)
      .replace(/\.exe$/i, "");
    if (PROGRAMS.has(program.toLowerCase())) return true;
    switch (program) {
      case "git":
        return GIT_COMMANDS.has(gitCommandAfter(words, at));
      case "find":
        return findDeletes;
      case "rsync":
        return rsyncDeletes;
      default:
        return false;
    }
  });
}

function gitCommandAfter(words: string[], git: number): string {
  const options = words.slice(git + 1, git + MOST_WORDS_OF_OPTIONS);
  const isValue = (at: number) => GIT_OPTIONS_WITH_VALUE.has(options[at - 1] ?? "");
  return options.find((word, at) => !word.startsWith("-") && !isValue(at)) ?? "";
}
