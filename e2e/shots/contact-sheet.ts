import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { LANGUAGES, SIZES } from "../scripted/scene.ts";
import { sizeFolder } from "./camera.ts";

/** So many pictures are on one printed sheet, by the width of a picture: they can still be read. */
const SHEETS: Readonly<Record<number, { each: number; wide: number }>> = {
  1440: { each: 9, wide: 3 },
  390: { each: 10, wide: 5 },
  844: { each: 12, wide: 3 },
};
const SHEET_WIDTH = 1_800;

const STYLE = `body{margin:0;background:#222;color:#eee;font:14px sans-serif}
table{border-spacing:8px}th{text-align:start;white-space:nowrap;position:sticky;inset-inline-start:0;background:#222}
td{vertical-align:top}td img{height:200px;display:block}
main{display:grid;gap:10px;padding:10px;align-items:start}figure{margin:0}figure img{width:100%;display:block}`;

/** `index.html` with every picture, a line for each state; and for looking at them as pictures, `sheets/<size>-<language>-<number>.png`. */
export async function writeContactSheets(folder: string, browser: Browser): Promise<void> {
  const folders = SIZES.flatMap(([width, height]) =>
    LANGUAGES.map((language) => ({ width, name: sizeFolder(width, height, language) })),
  );
  const pictures = await Promise.all(
    folders.map(async ({ name }) => await readdir(join(folder, name)).catch((): string[] => [])),
  );
  const states = [...new Set(pictures.flat())].toSorted();
  const rows = states.map(
    (state) =>
      `<tr><th>${nameOf(state)}${folders.map(({ name }) => `<td><a href="${name}/${state}"><img loading="lazy" src="${name}/${state}" alt="${name}"></a>`).join("")}`,
  );
  await writeFile(join(folder, "index.html"), `${pageOf("Every state")}<table>${rows.join("\n")}</table>`);
  const page = await browser.newPage();
  for (const [index, { width, name }] of folders.entries()) {
    const { each, wide } = SHEETS[width] ?? { each: 9, wide: 3 };
    const all = (pictures[index] ?? []).toSorted();
    for (let first = 0; first < all.length; first += each) {
      const part = all.slice(first, first + each);
      const figures = part.map((state) => `<figure>${nameOf(state)}<img src="${name}/${state}" alt=""></figure>`);
      const html = `${pageOf(name)}<main style="grid-template-columns:repeat(${wide},1fr)">${figures.join("")}</main>`;
      const file = join(folder, "sheet.html");
      await writeFile(file, html);
      await page.setViewportSize({ width: SHEET_WIDTH, height: 600 });
      await page.goto(pathToFileURL(file).href);
      const number = String(1 + first / each).padStart(2, "0");
      await page.screenshot({ path: join(folder, "sheets", `${name}-${number}.png`), fullPage: true });
    }
  }
  await page.close();
}

const nameOf = (file: string): string => file.replace(/\.png$/, "");
const pageOf = (title: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style>`;
