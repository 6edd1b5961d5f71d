import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { BrandingProblem, issuerIcons, readBranding, readMailBrand } from "./branding.ts";

const EXAMPLE = join(import.meta.dirname, "../../../../deploy/branding");
const PAGE = `<!doctype html><html lang="tr"><head><meta name="theme-color" content="#100d0b" />
<meta name="application-name" content="Longarm" /><title>Longarm</title></head><body><div id="root"></div></body></html>`;
const TERMS = `<html lang="en"><head><title>Terms of Use</title></head><body>software called Longarm</body></html>`;

let root = "";
let folder = "";
let webFolder = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "longarm-branding-"));
  [folder, webFolder] = [join(root, "branding"), join(root, "web")];
  await mkdir(webFolder);
  await writeFile(join(webFolder, "index.html"), PAGE);
  await writeFile(join(webFolder, "terms-of-use.html"), TERMS);
  await writeFile(join(webFolder, "manifest-en.webmanifest"), JSON.stringify({ name: "Longarm", id: "/" }));
});
afterEach(() => rm(root, { recursive: true }));

/** Reads the folder with files in it, of a platform with issuers of these names. */
async function branded(files: Readonly<Record<string, string | Buffer>>, issuers: readonly string[] = []) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return await readBranding(configOf(issuers));
}

const configOf = (issuers: readonly string[], brandingFolder: string | null = null) => ({
  ...{ brandingFolder, dataFolder: root, webFolder },
  playerIssuers: readConfig({
    PLAYER_ISSUERS: issuers.map((name) => `${name}=https://${name}.example`).join(),
    PLAYER_ISSUER_CLIENTS: issuers.map((name) => `${name}=longarm`).join(),
    PLAYER_ISSUER_SECRETS: issuers.map((name) => `${name}=secret`).join(),
  }).playerIssuers,
});

const text = (served: Awaited<ReturnType<typeof branded>>, path: string) => served.get(path)?.body.toString() ?? "";

/** The head of a PNG picture. */
function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(24);
  head.write("\x89PNG\r\n\x1a\n", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

test("without a folder the page is ours; a folder that is set and absent ends the start", async () => {
  expect((await branded({})).size).toBe(0);
  await expect(readBranding(configOf([], join(root, "no")))).rejects.toThrow("branding.json is missing");
});

test("the example of deploy/branding is usable: its name, colours and logo are on the page, the terms keep the software's name", async () => {
  await cp(EXAMPLE, folder, { recursive: true });
  const served = await branded({});
  const page = text(served, "/index.html");
  expect(page).not.toContain("Longarm");
  expect(page).toContain('<html data-logo="/logo.svg" lang="tr">');
  expect(page).toMatch(/content="#0a0f16".*<title>Poyraz<\/title>.*href="\/branding\.css\?[0-9a-f]{16}"/s);
  expect(text(served, "/branding.css")).toContain("--brass: #6fd3c7;");
  expect(text(served, "/terms-of-use.html")).toContain("software called Longarm");
  expect(text(served, "/terms-of-use.html")).toContain("/branding.css");
  expect(JSON.parse(text(served, "/manifest-en.webmanifest"))).toMatchObject({
    ...{ id: "/", name: "Poyraz", theme_color: "#0a0f16" },
  });
  expect(served.get("/favicon.svg")?.type).toBe("image/svg+xml");
});

test("a page of the operator's own is in the place of ours, with files beside it", async () => {
  const served = await branded({
    "branding.json": '\uFEFF{ "name": "  Poyraz  " }',
    "terms-of-use.html": "<html><head></head><body>Our terms. Longarm</body></html>",
    "assets/page.css": "body { margin: 0 }",
    ".DS_Store": "x",
  });
  expect(text(served, "/terms-of-use.html")).toMatch(/branding\.css.*Our terms\. Longarm/s);
  expect(served.get("/assets/page.css")).toMatchObject({ type: "text/css; charset=utf-8" });
  expect(text(served, "/index.html")).toContain("<title>Poyraz</title>");
  expect(text(served, "/index.html")).not.toContain("data-logo");
});

test("a name cannot write into the page", async () => {
  const page = text(await branded({ "branding.json": JSON.stringify({ name: `A "b" & $& c` }) }), "/index.html");
  expect(page).toContain("<title>A &#34;b&#34; &#38; $&#38; c</title>");
});

describe("what cannot be used ends the start with every reason", () => {
  const brand = '{ "name": "Poyraz" }';
  test.each<[string, Record<string, string | Buffer>, string]>([
    ["no JSON", { "branding.json": "{" }, "branding.json is not JSON"],
    ["no name", { "branding.json": "{}" }, "branding.json: name"],
    ["a name with a mark", { "branding.json": '{ "name": "<b>" }' }, "must not hold control characters"],
    ["an unknown key", { "branding.json": '{ "name": "P", "colors": {} }' }, "colors"],
    [
      "an unknown colour",
      { "branding.json": '{ "name": "P", "palettes": { "night": { "gold": "#000000" } } }' },
      "gold",
    ],
    [
      "no colour",
      { "branding.json": '{ "name": "P", "palettes": { "night": { "ink": "red" } } }' },
      "must be a colour",
    ],
    [
      "text that cannot be read",
      { "branding.json": '{ "name": "P", "palettes": { "night": { "ink": "#333333" } } }' },
      "palettes.night: the contrast of ink on room is 1.53, not 4.5",
    ],
    ["an unknown file", { "branding.json": brand, "index.html": "" }, "index.html is not known"],
    ["an unknown kind", { "branding.json": brand, "assets/a.js": "" }, "assets/a.js is no file of a known kind"],
    ["a kind that objects have", { "branding.json": brand, "assets/a.constructor": "" }, "is no file of a known kind"],
    ["no drawing", { "branding.json": brand, "logo.svg": "GIF89a" }, "logo.svg is no SVG drawing"],
    ["no picture", { "branding.json": brand, "icon-192.png": Buffer.alloc(0) }, "icon-192.png is no PNG picture"],
    [
      "a wrong size",
      { "branding.json": brand, "icon-192.png": png(192, 191) },
      "icon-192.png is 192 × 191, not 192 × 192",
    ],
    ["a huge file", { "branding.json": brand, "logo.svg": Buffer.alloc(2_097_153) }, "logo.svg is larger than"],
  ])("%s", async (_name, files, reason) => {
    const reading = branded(files);
    await expect(reading).rejects.toThrow(BrandingProblem);
    await expect(reading).rejects.toThrow(reason);
  });
});

test("the mails' texts are the operator's where they are whole, and are no file of the page", async () => {
  const reset = { subject: "Code of {casino}", body: ["Here:", "{code}"] };
  const served = await branded({
    "branding.json": '{ "name": "Poyraz" }',
    "mails-tr.json": JSON.stringify({ reset }),
  });
  expect(served.has("/mails-tr.json")).toBe(false);
  const { texts, casino } = await readMailBrand({ brandingFolder: null, dataFolder: root });
  expect([casino, texts.tr.reset, texts.en.reset.subject]).toEqual(["Poyraz", reset, "A new password for {casino}"]);
});

test.each([
  ["a name that its mail does not know", { moved: { subject: "x", body: ["{code}"] } }, "moved: {code} is not known"],
  ["no code", { reset: { subject: "x", body: ["y"] } }, "reset: the body has no {code}"],
  ["a code in the subject", { reset: { subject: "{code}", body: ["{code}"] } }, "a locked screen shows"],
  ["a subject of two lines", { moved: { subject: "x\r\nBcc: y@z", body: ["y"] } }, "must be one line"],
  ["a mail that is not known", { hello: { subject: "x", body: ["y"] } }, "mails-en.json"],
])("a mail's text with %s ends the start", async (_what, content, problem) => {
  const files = { "branding.json": '{ "name": "Poyraz" }', "mails-en.json": JSON.stringify(content) };
  await expect(branded(files)).rejects.toThrow(problem);
});

test("an issuer's icon is served by its name, and one of no issuer ends the start", async () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const files = { "branding.json": '{"name":"Poyraz"}', "issuer-levent.svg": drawing };
  expect((await branded(files, ["levent", "city"])).get("/issuer-levent.svg")).toEqual({
    type: "image/svg+xml",
    body: Buffer.from(drawing),
  });
  expect(Object.fromEntries(await issuerIcons(configOf(["levent", "city"])))).toEqual({ levent: "/issuer-levent.svg" });
  await expect(branded(files, ["city"])).rejects.toThrow("issuer-levent.svg is not known");
  await expect(branded({ ...files, "issuer-levent.svg": "https://evil.example/icon.svg" }, ["levent"])).rejects.toThrow(
    "issuer-levent.svg is no SVG drawing",
  );
  expect((await issuerIcons({ ...configOf(["levent"]), dataFolder: join(root, "none") })).size).toBe(0);
});
