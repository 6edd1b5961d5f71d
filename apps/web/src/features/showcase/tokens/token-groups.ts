import type { TextKey } from "../../../shared/i18n/text-key.ts";

/** Tokens of one kind, and how a sample shows them. */
export type TokenGroup = {
  readonly title: TextKey;
  readonly about: TextKey;
  readonly sample: "bar" | "text" | "fill" | "ink" | "corner" | "none";
  readonly tokens: readonly `--${string}`[];
};

/** What style sheets of pages are written with. All of it stands in shared/ui/tokens.css. */
export const TOKEN_GROUPS: readonly TokenGroup[] = [
  {
    ...{ title: "gallery.space", about: "gallery.spaceAbout", sample: "bar" },
    tokens: ["--s-1", "--s-2", "--s-3", "--s-4", "--s-5", "--s-6", "--s-7", "--s-8", "--target"],
  },
  {
    ...{ title: "gallery.text", about: "gallery.textAbout", sample: "text" },
    tokens: ["--t-plate", "--t-small", "--t-body", "--t-lead", "--t-h3", "--t-h2", "--t-h1", "--t-hero"],
  },
  {
    ...{ title: "gallery.surfaces", about: "gallery.surfacesAbout", sample: "fill" },
    tokens: ["--room", "--surface", "--raised", "--raised-2", "--sunken", "--line", "--line-strong"],
  },
  {
    ...{ title: "gallery.inks", about: "gallery.inksAbout", sample: "ink" },
    tokens: ["--ink", "--ink-2", "--ink-3", "--money", "--danger"],
  },
  {
    ...{ title: "gallery.lights", about: "gallery.lightsAbout", sample: "fill" },
    tokens: [
      "--brass",
      "--led-available",
      "--led-playing",
      "--led-waiting",
      "--led-reserved",
      "--led-off",
      "--led-fault",
    ],
  },
  {
    ...{ title: "gallery.corners", about: "gallery.cornersAbout", sample: "corner" },
    tokens: ["--r-key", "--r-glass", "--r-cab", "--r-pill"],
  },
  {
    ...{ title: "gallery.motion", about: "gallery.motionAbout", sample: "none" },
    tokens: ["--press", "--quick", "--move", "--pull", "--settle", "--spring", "--leave"],
  },
];

/** What markup is written with: classes and attributes that mean the same everywhere. */
export const MARKS: readonly { readonly code: string; readonly about: TextKey }[] = [
  { code: `<p className="plate">…</p>`, about: "gallery.markPlate" },
  { code: `<span className="num">…</span>`, about: "gallery.markNum" },
  { code: `<span className="visually-hidden">…</span>`, about: "gallery.markHidden" },
  { code: `<nav data-region="navbar">…</nav>`, about: "gallery.markRegion" },
  { code: `<code dir="ltr">…</code>`, about: "gallery.markDirection" },
  { code: `<b lang="en">…</b>`, about: "gallery.markLanguage" },
];
