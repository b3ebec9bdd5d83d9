import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// During development the API is that of a server on its usual port.
const SERVER = process.env.SEXTANT_SERVER ?? "http://127.0.0.1:7187";

export default defineConfig({
  plugins: [react()],
  // Nothing may come as `data:`, which the server's content security policy refuses.
  build: {
    assetsInlineLimit: 0,
    // dist/.gitignore stays; build/clean.mjs removes the rest.
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    target: "es2022",
    manifest: "assets/manifest.json",
  },
  server: { proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } } },
});
