// The address as it stands. The router decodes what it is given once more than it was encoded: a name
// with a percent sign would be another one. So every percent sign is encoded for it first.
import { navigate, usePathname, useSearch } from "wouter/use-browser-location";

const escaped = (text: string) => text.replaceAll("%", "%25");

export function usePathAsItStands(): [string, typeof navigate] {
  return [escaped(usePathname()), navigate];
}

export function useSearchAsItStands(): string {
  return escaped(useSearch());
}
