import type { LivingDocumentConfig } from "./config.ts";
import { DEFAULTS } from "./defaults.ts";

/** What of a living document can be written. */
interface Written {
  path?: string | undefined;
  template_path?: string | undefined;
  archive_dir?: string | undefined;
  size_threshold?: number | undefined;
  auto_commit?: boolean | undefined;
}

/** A living document as it is written, and as it is by default where it is not. */
export function livingDocument(written: Written, commitHooks: boolean): LivingDocumentConfig {
  return {
    path: written.path ?? DEFAULTS.living_document.path,
    templatePath: written.template_path ?? DEFAULTS.living_document.template_path,
    archiveDir: written.archive_dir ?? DEFAULTS.living_document.archive_dir,
    sizeThreshold: written.size_threshold ?? DEFAULTS.living_document.size_threshold,
    autoCommit: written.auto_commit ?? DEFAULTS.living_document.auto_commit,
    commitHooks,
  };
}
