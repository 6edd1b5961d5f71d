import { join } from "node:path";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { LANGUAGES } from "@longarm/contract/settings";
import { compileOnce } from "@longarm/ui/build/compile-once.ts";
import { contractOfPages } from "@longarm/ui/build/contract-of-pages.ts";
import { fonts } from "@longarm/ui/build/fonts.ts";
import type { LoadBudget } from "@longarm/ui/build/load-budget.ts";
import { loadBudgets } from "@longarm/ui/build/load-budget.ts";
import { precompress } from "@longarm/ui/build/precompress.ts";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import type { Parts } from "./build/browser-check.ts";
import { browserCheck } from "./build/browser-check.ts";
import { CHUNKS, noCircles } from "./build/chunks.ts";
import { installable } from "./build/installable.ts";
import { onlyProblemCodes } from "./build/problem-texts.ts";

/** Where `npm run dev` of the web finds a platform. */
const platform = process.env["LONGARM_PLATFORM"] ?? "http://127.0.0.1:8080";

const START = ["catalogues/tr/app.json", "catalogues/tr/auth.json"];
const SHELL = [
  "app/routes/shell.tsx",
  "app/player/player-link.ts",
  "catalogues/tr/shell.json",
  "catalogues/tr/wallet.json",
];
/** First loads by language file and route; the game comes on top of the lobby. */
const budgets: LoadBudget[] = [
  { name: "the login", modules: [...START, "app/routes/login.tsx"], scriptMax: 140, styleMax: 7 },
  {
    name: "the lobby",
    modules: [...START, ...SHELL, "app/routes/lobby.tsx", "catalogues/tr/lobby.json"],
    // What comes beside the first screen is not in it: the watch over an idle page, texts of codes (record 0272).
    scriptMax: 178,
    styleMax: 11.5,
  },
];

/** What `browser-check.js` fetches: by screen, by language, by both; and the fonts of nearly every text. */
const parts: Parts = {
  // The hall behind the login: its style sheet would ask for it only once it is drawn.
  login: ["shared/ui/art/floor.webp", "app/routes/login.tsx"],
  fonts: ["archivo-latin.woff2", "archivo-turkish.woff2"],
  lobby: ["app/routes/shell.tsx", "app/player/player-link.ts", "app/routes/lobby.tsx"],
  // Only where a screen may be locked: before everything else.
  watch: ["app/entrance/keep-watch.tsx"],
  ...Object.fromEntries(LANGUAGES.flatMap((language) => [[`texts-${language}`, [`catalogues/${language}/app.json`]]])),
};

const inWeb = (path: string): string => join(import.meta.dirname, path);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    compileOnce(babel({ presets: [reactCompilerPreset()] })),
    contractOfPages(),
    browserCheck(parts),
    installable(),
    onlyProblemCodes(),
    fonts("licences-fonts.txt"),
    noCircles(),
    loadBudgets(budgets),
    precompress(),
  ],
  // One default export per catalogue, parsed by JSON.parse: half the size of an object literal with named exports.
  json: { namedExports: false, stringify: true },
  // The worker beside the pages keeps its name: a browser asks for it by the address under which it was registered.
  worker: { format: "iife", rolldownOptions: { output: { entryFileNames: "[name].js" } } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The content policy knows no data: fonts, and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The page, and the info pages: static ones beside it that share its fonts and colours.
    rolldownOptions: {
      // The first loads in few files.
      output: {
        codeSplitting: {
          groups: CHUNKS,
        },
      },
      input: ["index.html", ...Object.values(INFO_PAGES).map(({ path }) => path.slice(1))].map(inWeb),
    },
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
