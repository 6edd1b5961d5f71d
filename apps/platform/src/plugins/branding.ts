import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { Tokens } from "@longarm/contract/palette";
import { DAYLIGHT, NIGHT, TOKENS, tooNear } from "@longarm/contract/palette";
import { LANGUAGES } from "@longarm/contract/settings";
import { REGIONS } from "@longarm/contract/template/appearance";
import type { FastifyInstance } from "fastify";
import * as z from "zod";
import type { Config } from "../config.ts";
import { MAIL_FILES, readMailTexts } from "../modules/talk/mail/index.ts";

/** A larger file is refused. */
const BYTES_MAX = 2_097_152;
/** How many files the folder `assets` may have. */
const ASSETS_MAX = 100;
/** The page's own name, which the operator's takes the place of. */
const OUR_NAME = "Longarm";

/** Icons of the installed page, with their width and height in px. */
const ICONS = {
  "apple-touch-icon.png": 180,
  "badge-96.png": 96,
  "icon-192.png": 192,
  "icon-512.png": 512,
  "icon-maskable-512.png": 512,
} as const;
const DRAWINGS = ["favicon.svg", "logo.svg"];
/** The icon of an issuer that signs players in, by its name in the settings. */
const iconFileOf = (issuer: string): string => `issuer-${issuer}.svg`;
const PAGES = Object.values(INFO_PAGES).map(({ path }) => path.slice(1));
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff2: "font/woff2",
};

const Colour = z.string().regex(/^#[0-9a-f]{6}$/, "must be a colour like #e3b962, in small letters");
const Palette = z.partialRecord(z.enum(TOKENS), Colour);

/** The operator's `branding.json`. */
const BrandingFile = z.strictObject({
  /** The casino's name: title of every page, of the installed page, and what screen readers call the logo. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .regex(/^[^\p{Cc}<>]*$/u, "must not hold control characters, < or >"),
  /** Colours over those of our two palettes, by the names of `packages/ui/src/tokens.css`. */
  palettes: z.strictObject({ night: Palette.optional(), daylight: Palette.optional() }).default({}),
});
type BrandingFile = z.infer<typeof BrandingFile>;

/** A file that is served in the place of the build's, or beside it. */
type Served = { readonly type: string; readonly body: Buffer };
/** Files by address, `/logo.svg`. */
export type Branding = ReadonlyMap<string, Served>;

/** The folder cannot be used; `problems` says why, a line each. */
export class BrandingProblem extends Error {
  constructor(folder: string, problems: readonly string[]) {
    super(
      `The branding in ${folder} cannot be used (docs/operating/branding.md):\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
    this.name = "BrandingProblem";
  }
}

/**
 * Reads the operator's folder and makes what the players' page looks like with it. A folder that cannot be used ends the start: half a brand, or one
 * that players cannot read, is worse than none.
 * @returns nothing where there is no folder and none is set
 * @throws {BrandingProblem} with every problem that was found
 */
export async function readBranding({
  brandingFolder,
  dataFolder,
  webFolder,
  playerIssuers,
}: Pick<Config, "brandingFolder" | "dataFolder" | "webFolder" | "playerIssuers">): Promise<Branding> {
  const folder = brandingFolderOf({ brandingFolder, dataFolder });
  if (brandingFolder === null && !(await isThere(folder))) return new Map();
  const problems: string[] = [];
  const { files, brand } = await readFolder(folder, playerIssuers, problems);
  if (brand === undefined || problems.length > 0) throw new BrandingProblem(folder, problems);
  const served = new Map([...files].map(([name, body]) => [`/${name}`, { type: typeOf(name), body }]));
  const style = Buffer.from(styleOf(brand));
  served.set("/branding.css", { type: typeOf("branding.css"), body: style });
  const look = { ...brand, hasLogo: files.has("logo.svg"), style: createHash("sha256").update(style).digest("hex") };
  for (const name of ["index.html", ...PAGES]) {
    const page = files.get(name) ?? (await readFile(join(webFolder, name)).catch(() => undefined));
    const isOurs = !files.has(name);
    if (page) served.set(`/${name}`, { type: typeOf(name), body: Buffer.from(drawn(page.toString(), look, isOurs)) });
  }
  for (const language of LANGUAGES) {
    const name = `manifest-${language}.webmanifest`;
    const manifest = await readFile(join(webFolder, name), "utf8").catch(() => undefined);
    if (manifest) served.set(`/${name}`, { type: typeOf(name), body: Buffer.from(named(manifest, brand)) });
  }
  return served;
}

const brandingFolderOf = ({ brandingFolder, dataFolder }: Pick<Config, "brandingFolder" | "dataFolder">): string =>
  brandingFolder ?? join(dataFolder, "branding");

/** The addresses of the issuers' icons, by the issuer's name. The files were checked by `readBranding`. */
export async function issuerIcons(
  config: Pick<Config, "brandingFolder" | "dataFolder" | "playerIssuers">,
): Promise<ReadonlyMap<string, string>> {
  const names = (await entriesOf(brandingFolderOf(config))).map(({ name }) => name);
  const drawn = config.playerIssuers.filter(({ name }) => names.includes(iconFileOf(name)));
  return new Map(drawn.map(({ name }) => [name, `/${iconFileOf(name)}`]));
}

/** What mails to players say, and what they call the casino: the operator's words where there are some. The files were checked by `readBranding`. */
export async function readMailBrand(config: Pick<Config, "brandingFolder" | "dataFolder">) {
  const folder = brandingFolderOf(config);
  const file = await readFile(join(folder, "branding.json"), "utf8").catch(() => undefined);
  const brand = file === undefined ? undefined : readBrand(file, []);
  return { texts: (await readMailTexts(folder)).texts, casino: brand?.name ?? OUR_NAME };
}

const isThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

/** Serves the operator's files before those of the build. */
export function serveBranding(app: FastifyInstance, branding: Branding): void {
  for (const [path, { type, body }] of branding) {
    app.get(path, (_request, reply) => reply.header("cache-control", "no-cache").type(type).send(body));
  }
}

/** Checks every file by its name, its size and what it is. */
async function readFolder(folder: string, issuers: Config["playerIssuers"], problems: string[]) {
  const files = new Map<string, Buffer>();
  let brand: BrandingFile | undefined;
  const names = await namesIn(folder, issuers, problems);
  problems.push(...(await readMailTexts(folder)).problems);
  // What mails say is no file of the page.
  for (const name of names.filter((one) => !MAIL_FILES.includes(one))) {
    const path = join(folder, name);
    if ((await stat(path)).size > BYTES_MAX) {
      problems.push(`${name} is larger than ${BYTES_MAX} bytes`);
      continue;
    }
    const body = await readFile(path);
    if (name === "branding.json") brand = readBrand(body.toString(), problems);
    else {
      const problem = problemOf(name, body);
      if (problem === undefined) files.set(name, body);
      else problems.push(`${name} ${problem}`);
    }
  }
  if (!names.includes("branding.json")) problems.push('branding.json is missing: { "name": "…" } is enough');
  return { files, brand };
}

/** The files of the folder and of `assets` in it, whose names are known or of a known kind. */
async function namesIn(folder: string, issuers: Config["playerIssuers"], problems: string[]): Promise<string[]> {
  const icons = issuers.map(({ name }) => iconFileOf(name));
  const known = ["branding.json", ...Object.keys(ICONS), ...DRAWINGS, ...icons, ...PAGES, ...MAIL_FILES];
  const names: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (entry.isFile() && known.includes(entry.name)) names.push(entry.name);
    else if (!(entry.isDirectory() && entry.name === "assets")) {
      problems.push(`${entry.name} is not known; files of your own pages belong in the folder assets`);
    }
  }
  const assets = await entriesOf(join(folder, "assets"));
  if (assets.length > ASSETS_MAX) problems.push(`assets has more than ${ASSETS_MAX} files`);
  for (const entry of assets.slice(0, ASSETS_MAX)) {
    const isUsable = entry.isFile() && /^[a-z0-9][a-z0-9._-]{0,80}$/i.test(entry.name);
    const kind = entry.name.split(".").at(-1) ?? "";
    if (isUsable && Object.hasOwn(TYPES, kind) && kind !== "webmanifest") names.push(`assets/${entry.name}`);
    else problems.push(`assets/${entry.name} is no file of a known kind: ${Object.keys(TYPES).join(", ")}`);
  }
  return names.toSorted();
}

/** Names that begin with a point are the operating system's own. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter(({ name }) => !name.startsWith("."));
}

function readBrand(text: string, problems: string[]): BrandingFile | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    problems.push(`branding.json is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  const read = BrandingFile.safeParse(json);
  if (!read.success) {
    problems.push(...read.error.issues.map(({ path, message }) => `branding.json: ${path.join(".")}: ${message}`));
    return undefined;
  }
  for (const [palette, tokens] of Object.entries(palettesOf(read.data))) {
    problems.push(...tooNear(tokens).map((pair) => `branding.json: palettes.${palette}: the contrast of ${pair}`));
  }
  return read.data;
}

const palettesOf = ({ palettes }: BrandingFile): Record<"night" | "daylight", Tokens> => ({
  night: { ...NIGHT, ...palettes.night },
  daylight: { ...DAYLIGHT, ...palettes.daylight },
});

/** What is wrong with a file; undefined: nothing. */
function problemOf(name: string, body: Buffer): string | undefined {
  if (name.endsWith(".svg")) return /<svg[\s>]/.test(body.toString("utf8")) ? undefined : "is no SVG drawing";
  if (!(name in ICONS)) return undefined;
  const wanted = ICONS[name as keyof typeof ICONS];
  // PNG (W3C): eight bytes of signature, then the chunk IHDR with width and height.
  const isPng = body.length >= 24 && body.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n";
  if (!isPng) return "is no PNG picture";
  const [width, height] = [body.readUInt32BE(16), body.readUInt32BE(20)];
  return width === wanted && height === wanted ? undefined : `is ${width} × ${height}, not ${wanted} × ${wanted}`;
}

const typeOf = (name: string): string => TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";

/** Each selector is one step stronger than that of `features/theme/palettes.css`, which may be loaded after this. */
function styleOf(brand: BrandingFile): string {
  const bars = REGIONS.filter((region) => region !== "main");
  const blocks = Object.entries(brand.palettes).map(([id, tokens]) => {
    const selectors = [
      ...(id === "night" ? [":root"] : []),
      `:root[data-main="${id}"][data-main]:not([data-room="dark"])`,
      ...bars.map((bar) => `:root[data-${bar}="${id}"][data-${bar}] [data-region="${bar}"]`),
      `[data-palette="${id}"][data-palette]`,
    ];
    const lines = Object.entries(tokens ?? {}).map(([token, hex]) => `  --${token}: ${hex};`);
    return `${selectors.join(",\n")} {\n${lines.join("\n")}\n}\n`;
  });
  return blocks.join("\n");
}

type Look = BrandingFile & { readonly hasLogo: boolean; readonly style: string };

/** A page with the operator's name, colours and logo. An info page keeps our name where it speaks of the software. */
function drawn(html: string, look: Look, isOurs: boolean): string {
  const name = escaped(look.name);
  const link = `<link rel="stylesheet" href="/branding.css?${look.style.slice(0, 16)}" />`;
  const isApp = isOurs && html.includes('id="root"');
  const text = isApp ? html.replaceAll(OUR_NAME, () => name) : html;
  return text
    .replace(/<html (?![^>]*data-logo)/, (tag) => (isApp && look.hasLogo ? `${tag}data-logo="/logo.svg" ` : tag))
    .replace(/(<meta name="theme-color" content=")[^"]*/, (_all, head) => `${head}${palettesOf(look).night.room}`)
    .replace("</head>", () => `${link}\n</head>`);
}

/** A manifest with the operator's name and colour. */
function named(manifest: string, brand: BrandingFile): string {
  const { room } = palettesOf(brand).night;
  const names = { name: brand.name, short_name: brand.name };
  return JSON.stringify({ ...JSON.parse(manifest), ...names, background_color: room, theme_color: room });
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
