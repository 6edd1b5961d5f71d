import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { fontLicences } from "./build/font-licences.ts";
import { precompress } from "./build/precompress.ts";

/** Where `npm run dev` of the web finds a platform. */
const platform = process.env["LONGARM_PLATFORM"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), babel({ presets: [reactCompilerPreset()] }), fontLicences("licences-fonts.txt"), precompress()],
  // One default export per catalogue, parsed by JSON.parse: half the size of an object literal with named exports.
  json: { namedExports: false, stringify: true },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The content policy knows no data: fonts, and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What others wrote travels with their licences.
    license: { fileName: "licences.txt" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 400,
  },
  server: {
    proxy: {
      "/v1": platform,
      "/check": platform,
      "/Settings.json": platform,
      "/notifications": { target: platform, ws: true },
    },
  },
});
