import { useEffect, useState } from "react";

const THEMES = ["as the system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEPT_AS = "sextant-theme";

function kept(): Theme {
  const word = localStorage.getItem(KEPT_AS);
  return THEMES.find((theme) => theme === word) ?? "as the system";
}

/** The theme, and what turns it on to the next. */
export function useTheme(): [Theme, () => void] {
  const [theme, set] = useState(kept);
  useEffect(() => {
    if (theme === "as the system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEPT_AS, theme);
  }, [theme]);
  return [theme, () => set(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "as the system")];
}
