/** Folders that tools fill and can fill again: packages, builds, environments. What says `cache` is one by its name. */
const FOLDERS = new Set(
  [
    "node_modules bower_components jspm_packages .yarn .pnp .pnpm-store .npm vendor .bundle Pods Carthage deps",
    "dist dist-newstyle build _build out target bin obj .next .nuxt .output .svelte-kit .astro .vite .turbo .angular",
    ".venv venv virtualenv __pycache__ .tox .nox .eggs .ipynb_checkpoints .gradle .mvn .m2 .cargo .stack-work .dart_tool",
    "DerivedData .terraform .serverless .aws-sam elm-stuff .elixir_ls .bsp .metals .bloop .idea .vs .nyc_output",
  ].flatMap((line) => line.split(" ")),
);

/** Files that say no more than what they were made from. */
const FILES =
  /\.(?:pyc|pyo|class|o|obj|a|so|dylib|dll|exe|tsbuildinfo|egg-info|swp|swo|pid)$|^\.DS_Store$|^Thumbs\.db$/i;

/** Whether a path in a worktree is one that its tools make again, so that nobody misses it. */
export function isRemade(path: string): boolean {
  const parts = path.split("/").filter(Boolean);
  return parts.some((part) => FOLDERS.has(part) || /cache/i.test(part) || FILES.test(part));
}
