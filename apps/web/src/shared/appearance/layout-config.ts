import type { LAYOUTS } from "@longarm/contract/settings";
import { mergeDeep } from "@longarm/contract/settings";
import type { LAYOUT_MODES, LayoutConfigChoice } from "@longarm/contract/template/appearance";

export type LayoutStyle = (typeof LAYOUTS)[number];
export type LayoutMode = (typeof LAYOUT_MODES)[number];
type Bar = {
  readonly display: boolean;
  /** Fixed: stays in sight while the content scrolls under it. */
  readonly style: "fixed" | "static";
  /** Before or after the navbar: beside it or over the whole width in layout1, in order of height in the others. */
  readonly position: "above" | "below";
};

/** Every option of a layout. Each layout reads those that it has. */
export type LayoutConfig = {
  readonly mode: LayoutMode;
  /** What scrolls: the page, or the content between fixed bars (layout1 only). */
  readonly scroll: "body" | "content";
  readonly navbar: { readonly display: boolean; readonly folded: boolean; readonly position: "left" | "right" };
  readonly toolbar: Bar;
  readonly footer: Bar;
  readonly leftSidePanel: { readonly display: boolean };
  readonly rightSidePanel: { readonly display: boolean };
};

const DEFAULT: LayoutConfig = {
  mode: "fullwidth",
  scroll: "content",
  navbar: { display: true, folded: false, position: "left" },
  toolbar: { display: true, style: "fixed", position: "below" },
  footer: { display: true, style: "static", position: "below" },
  // The toolbar has the shortcuts already.
  leftSidePanel: { display: false },
  rightSidePanel: { display: true },
};

/** What a layout is until something is chosen (template layouts; layout3 is the casino shell). */
export const LAYOUT_DEFAULTS: Readonly<Record<LayoutStyle, LayoutConfig>> = {
  layout1: DEFAULT,
  layout2: DEFAULT,
  layout3: { ...DEFAULT, toolbar: { ...DEFAULT.toolbar, position: "above" } },
};

/** A choice over a whole configuration. */
export function withChoice(config: LayoutConfig, choice: LayoutConfigChoice = {}): LayoutConfig {
  return mergeDeep(config, choice);
}
