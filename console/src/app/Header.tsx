import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { status } from "../api/queries";
import { MarkIcon, ThemeIcon } from "../parts/icons";
import { SearchBox } from "../search/SearchBox";
import { counted } from "../words/numbers";
import { useTheme } from "./theme";

const PLACES = [
  { href: "/search", word: "Search", also: ["/entity"] },
  { href: "/operations", word: "Operations", also: [] },
  { href: "/extractors", word: "Extractors", also: [] },
  { href: "/problems", word: "Problems", also: [] },
];

export function Header() {
  const [location] = useLocation();
  const { data } = useQuery(status());
  const [theme, turn] = useTheme();
  const problems = data ? Object.values(data.quarantine).reduce((sum, count) => sum + count, 0) : 0;
  return (
    <header className="header">
      <Link
        href="/"
        className="brand"
        aria-label="Sextant, first page"
        aria-current={location === "/" ? "page" : undefined}
      >
        <MarkIcon />
        <span>Sextant</span>
      </Link>
      <nav className="nav" aria-label="Pages">
        {PLACES.map(({ href, word, also }) => {
          const isHere = [href, ...also].some((path) => location === path || location.startsWith(`${path}/`));
          return (
            <Link key={href} href={href} aria-current={isHere ? "page" : undefined}>
              {word}
              {href === "/problems" && problems > 0 && (
                <span className="chip" title={`${counted(problems, "stretch")} of input could not be read`}>
                  {problems}
                </span>
              )}
            </Link>
          );
        })}
      </nav>
      {location === "/search" ? <span className="header-space" /> : <SearchBox className="header-search" />}
      <button
        type="button"
        className="icon-button"
        onClick={turn}
        title={`theme: ${theme}`}
        aria-label={`theme: ${theme}; change`}
      >
        <ThemeIcon />
      </button>
    </header>
  );
}
