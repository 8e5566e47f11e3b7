import { expect, it } from "vitest";
import { removesFiles } from "./removes-files.ts";

it.each([
  "rm -rf src",
  "cd a && /bin/rm x",
  "sudo rm x",
  "\\rm x",
  "ls | xargs rm",
  "if true; then rm x; fi",
  "(rm x)",
  'bash -c "rm x"',
  "git rm -r old",
  "git mv a b",
  "git -C sub -c core.pager=cat --no-pager reset --hard",
  "git --work-tree .. checkout main -- .",
  "git switch other",
  "git restore .",
  "git stash",
  "git merge main",
  "git rebase main",
  "git pull",
  "git clean -fd",
  "mv src lib",
  "rmdir empty",
  "unlink x",
  "find . -name '*.o' -delete",
  "rsync -a --delete-after a/ b/",
  "del *.txt",
  "Remove-Item -Recurse src",
  "python -c 'import shutil; shutil.rmtree(\"src\")'",
  "node -e 'fs.rmSync(\"a\")'",
  "node -e 'fs.promises.rm(\"a\")'",
  "python3 - <<E\nimport os\nos.remove('a')\nE",
])("takes %j as meant to remove files", (command) => {
  expect(removesFiles(command)).toBe(true);
});

it.each([
  "",
  "ls",
  "docker run --rm image",
  "npm run form",
  "cat rm.txt alarm",
  "git status",
  "git commit -m message",
  "git log --format=%s",
  "git -C reset status",
  "find . -name delete",
  "rsync -a a/ b/",
  "npm test",
  "node -e 'prefs.rmx()'",
  "python -c 'cos.removes(1)'",
  "Get-Item model",
])("does not take %j for it", (command) => {
  expect(removesFiles(command)).toBe(false);
});

it.each(["git -c ", "find ", "rsync ", "a/", "os."])("reads %j a hundred thousand times over", (part) => {
  expect(removesFiles(part.repeat(100_000))).toBe(false);
});
