import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";

const SOURCE = join(import.meta.dirname, "../browser-check.js");
/** After what the page says of its referrer: the script's own request must not tell a token that stands in the address. */
const PLACE = "<!-- browser-check -->";
const MADE = /browser-check-[\w-]+\.js$/;

/**
 * Puts `browser-check.js` before the page's own script, under a name that browsers may keep for ever: scripts run in their order, so
 * one that has to be asked for anew holds up the page that is already there. The info pages go without it.
 */
export function browserCheck(): Plugin {
  let base = "/";
  return {
    name: "longarm-browser-check",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    async buildStart() {
      this.emitFile({ type: "asset", name: "browser-check.js", source: await readFile(SOURCE, "utf8") });
    },
    transformIndexHtml(html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => MADE.test(name));
      return html.replace(PLACE, () => `<script src="${base}${file}" defer fetchpriority="high"></script>`);
    },
  };
}
