import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * A program of its own, for Lighthouse keeps much in its process: `node look.ts <Lighthouse's folder> <port of a browser> <address>
 * <desktop or mobile>`. Prints what it found as one line of JSON. Desktop and mobile are Lighthouse's own presets, network and processor
 * simulated, as it does by default.
 */

/** What a look of Lighthouse found. */
export type Found = {
  /** By category, 0 to 100. */
  readonly scores: Readonly<Record<string, number>>;
  /** Metrics that the performance is made of, ms or, for the layout shift, none. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Audits that cost something, as Lighthouse calls them. */
  readonly lost: readonly string[];
};

type Audit = { id: string; title: string; score: number | null; numericValue?: number; displayValue?: string };
type Category = { score: number | null; auditRefs: { id: string; weight: number }[] };
type Report = {
  audits: Record<string, Audit>;
  categories: Record<string, Category>;
  runtimeError?: { message: string };
};
type Lighthouse = (url: string, flags: object, config?: object) => Promise<{ lhr: Report } | undefined>;

const CATEGORIES = ["performance", "accessibility", "best-practices"];
const METRICS = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "speed-index",
];

const [folder = "", port = "", url = "", preset = ""] = process.argv.slice(2);
const load = async (file: string) => (await import(pathToFileURL(join(folder, file)).href)).default;
const lighthouse: Lighthouse = await load("core/index.js");
const config: object | undefined = preset === "desktop" ? await load("core/config/desktop-config.js") : undefined;
const flags = { port: Number(port), output: "json", logLevel: "error", onlyCategories: CATEGORIES };
const report = (await lighthouse(url, flags, config))?.lhr;
if (report === undefined || report.runtimeError !== undefined)
  throw new Error(`Lighthouse could not look at the page: ${report?.runtimeError?.message ?? "no report"}`);
process.stdout.write(`${JSON.stringify(found(report))}\n`);

function found({ audits, categories }: Report): Found {
  const ids = Object.values(categories).flatMap(({ auditRefs }) => auditRefs);
  const lost = ids.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1);
  return {
    scores: Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, (score ?? 0) * 100])),
    metrics: Object.fromEntries(METRICS.map((id) => [id, audits[id]?.numericValue ?? Number.NaN])),
    lost: [...new Set(lost.map(({ id }) => `${id} ${audits[id]?.displayValue ?? audits[id]?.score}`))],
  };
}
