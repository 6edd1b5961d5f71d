import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Language } from "@longarm/contract/settings";
import { LANGUAGES } from "@longarm/contract/settings";
import type { Plugin } from "vite";

const CATALOGUES = join(import.meta.dirname, "../src/shared/i18n/catalogues");

/** What makes the page an app: a manifest for each language, and the link to the icon of iPhones. The page names the manifest of its language once the first screen is drawn. */
export function installable(): Plugin {
  let base = "/";
  return {
    name: "longarm-installable",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    async generateBundle() {
      for (const language of LANGUAGES) {
        const source = JSON.stringify(await manifestOf(language, base));
        this.emitFile({ type: "asset", fileName: `manifest-${language}.webmanifest`, source });
      }
    },
    // The info pages are no part of the app.
    transformIndexHtml: (_html, { path }) =>
      path.endsWith("/index.html")
        ? [{ tag: "link", attrs: { rel: "apple-touch-icon", href: `${base}apple-touch-icon.png` }, injectTo: "head" }]
        : [],
  };
}

/** One app whatever the language: its id is the address of its start. */
async function manifestOf(language: Language, base: string) {
  const texts = JSON.parse(await readFile(join(CATALOGUES, language, "device.json"), "utf8"));
  const icon = (name: string, sizes: string, purpose: string) => ({
    ...{ src: `${base}${name}.png`, sizes, type: "image/png", purpose },
  });
  const icons = [
    icon("icon-192", "192x192", "any"),
    icon("icon-512", "512x512", "any"),
    icon("icon-maskable-512", "512x512", "maskable"),
  ];
  return {
    ...{
      id: base,
      name: "Longarm",
      short_name: "Longarm",
      lang: language,
      dir: language === "ar" ? "rtl" : "ltr",
    },
    ...{ start_url: `${base}lobby`, scope: base, display: "standalone", categories: ["entertainment"] },
    ...{ background_color: "#100d0b", theme_color: "#100d0b", icons },
    shortcuts: [
      { name: texts.lobby, url: `${base}lobby`, icons: [icon("icon-192", "192x192", "any")] },
      { name: texts.places, url: `${base}queue`, icons: [icon("icon-192", "192x192", "any")] },
    ],
  };
}
