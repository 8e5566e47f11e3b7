import { effect, signal } from "@preact/signals";

export type Theme = "system" | "dark" | "light";

const KEPT = "baton.theme";

export const theme = signal<Theme>(kept());

function kept(): Theme {
  const value = localStorage.getItem(KEPT);
  return value === "dark" || value === "light" ? value : "system";
}

/** The system's own until the person chooses another. */
export function followTheme(): void {
  const light = matchMedia("(prefers-color-scheme: light)");
  const show = () => {
    const wanted = theme.value === "system" ? (light.matches ? "light" : "dark") : theme.value;
    document.documentElement.dataset.theme = wanted;
  };
  light.addEventListener("change", show);
  effect(() => {
    localStorage.setItem(KEPT, theme.value);
    show();
  });
}
