import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Window } from "../scripted/browser.ts";
import { openScene } from "../scripted/scene.ts";
import type { Look, Visitor } from "../scripted/template/tour.ts";
import { drawn, findingsOf, goTo, LAYOUTS, openTemplate, pagesFor } from "../scripted/template/tour.ts";
import { sizeFolder } from "./camera.ts";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;
const VISITORS: readonly Visitor[] = ["player", "guest", "admin"];
/** Scenes at a time. */
const SIDE_BY_SIDE = 3;

type Tour = {
  readonly browser: Browser;
  readonly builtWeb: string;
  readonly folder: string;
  readonly languages: readonly Window["language"][];
  /** Which pages, by their name. */
  readonly wanted: (name: string) => boolean;
  readonly layout: string | undefined;
  /** Looks for findings too, and in both directions. */
  readonly check: boolean;
  readonly say: (line: string) => void;
};

/** Pictures every page in every look, as `<folder>/<width>x<height>-<language>/<page>-<layout>.png`. Resolves with the number of findings. */
export async function takeTour(tour: Tour): Promise<number> {
  const looks = looksOf(tour).flatMap((look) => VISITORS.map((visitor) => ({ look, visitor })));
  let found = 0;
  const takeRest = async (): Promise<void> => {
    for (let next = looks.shift(); next !== undefined; next = looks.shift()) {
      found += await takeLook(tour, next.look, next.visitor);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, takeRest));
  return found;
}

function looksOf({ languages, layout, check }: Tour): Look[] {
  const layouts = LAYOUTS.filter((one) => layout === undefined || one === layout);
  // A language has its own direction; the check turns it round too.
  const directions = check ? ([undefined, "turned"] as const) : [undefined];
  return layouts.flatMap((one) =>
    languages.flatMap((language) =>
      SIZES.flatMap((size) =>
        directions.map((turned) => ({
          ...{ layout: one, language, ...size },
          ...(turned && { direction: language === "ar" ? ("ltr" as const) : ("rtl" as const) }),
        })),
      ),
    ),
  );
}

/** All pages of one visitor in one look: one document, from page to page as by links. */
async function takeLook(tour: Tour, look: Look, visitor: Visitor): Promise<number> {
  const pages = pagesFor(visitor).filter(({ path }) => tour.wanted(nameOf(path)));
  const [first] = pages;
  // A guest's account keeps no direction.
  if (first === undefined || (visitor === "guest" && look.direction !== undefined)) return 0;
  const { browser, builtWeb, folder, check, say } = tour;
  const closing: (() => Promise<void>)[] = [];
  const place = {
    browser,
    builtWeb,
    opened: (one: { close(): Promise<void> }) => void closing.push(() => one.close()),
  };
  const findings: string[] = [];
  try {
    const { page, complaints } = await openTemplate(
      (path, scene) => openScene(place, path, scene),
      first.path,
      visitor,
      look,
    );
    closing.unshift(() => page.context().close());
    for (const { path } of pages) {
      const trouble = await takePage(path).catch((problem: unknown) => [String(problem)]);
      findings.push(...[...trouble, ...complaints.splice(0)].map((what) => `${path}: ${what}`));
    }
    async function takePage(path: string): Promise<string[]> {
      if (path !== first?.path) await goTo(page, path);
      await drawn(page, path);
      if (look.direction === undefined) {
        const file = join(
          folder,
          sizeFolder(look.width, look.height, look.language),
          `${nameOf(path)}-${look.layout}.png`,
        );
        await mkdir(join(file, ".."), { recursive: true });
        await page.screenshot({ path: file, animations: "disabled" });
      }
      return check ? (await findingsOf(page, path)).map(({ what }) => what) : [];
    }
  } catch (problem) {
    findings.push(String(problem));
  } finally {
    for (const close of closing) await close().catch(() => {});
  }
  const where = `${look.layout} ${look.width}x${look.height} ${look.language} ${look.direction ?? ""}`;
  for (const finding of findings) say(`✗ ${where} ${visitor}: ${finding}`);
  return findings.length;
}

const nameOf = (path: string): string => path.slice(1).replaceAll("/", "-");
