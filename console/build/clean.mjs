// Empties dist/ but for the file that keeps the folder in the repository.
import { readdirSync, rmSync } from "node:fs";

const BUILT = new URL("../dist/", import.meta.url);

for (const name of readdirSync(BUILT)) {
  if (name !== ".gitignore") rmSync(new URL(name, BUILT), { recursive: true });
}
