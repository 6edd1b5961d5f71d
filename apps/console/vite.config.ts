import { compileOnce } from "@longarm/ui/build/compile-once.ts";
import { contractOfPages } from "@longarm/ui/build/contract-of-pages.ts";
import { fonts } from "@longarm/ui/build/fonts.ts";
import type { LoadBudget } from "@longarm/ui/build/load-budget.ts";
import { loadBudgets } from "@longarm/ui/build/load-budget.ts";
import { precompress } from "@longarm/ui/build/precompress.ts";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `vite` of the console finds a staff listener. */
const platform = process.env["LONGARM_STAFF"] ?? "http://localhost:8081";

/** First load: what is there before somebody signs in. */
const budgets: LoadBudget[] = [
  { name: "the sign-in", modules: ["features/sign-in/sign-in-page.tsx"], scriptMax: 122, styleMax: 8 },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    compileOnce(babel({ presets: [reactCompilerPreset()] })),
    contractOfPages(),
    fonts("licences-fonts.txt"),
    loadBudgets(budgets),
    precompress(),
  ],
  // One default export per catalogue, parsed by JSON.parse.
  json: { namedExports: false, stringify: true },
  // The worker of pushes keeps its name: a browser asks for it by the address under which it was registered.
  worker: { format: "iife", rolldownOptions: { output: { entryFileNames: "[name].js" } } },
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
    chunkSizeWarningLimit: 600,
  },
  server: { port: 8082, proxy: { "/staff": { target: platform, ws: true } } },
});
