import type { LAYOUTS, Settings } from "@longarm/contract/settings";
import { mergeDeep } from "@longarm/contract/settings";
import type { AppearanceChoice, LAYOUT_MODES, LayoutConfigChoice, Region } from "@longarm/contract/template/appearance";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";

/** How the page looks: layout with its options, palettes of its regions, direction, scrollbars, animations. */
export type Appearance = {
  readonly layout: { readonly style: LayoutStyle; readonly config: LayoutConfig };
  readonly customScrollbars: boolean;
  readonly animations: boolean;
  /** Undefined: that of the language. */
  readonly direction: "ltr" | "rtl" | undefined;
  /** Palette ids. */
  readonly theme: Readonly<Record<Region, string>>;
};

export type AppearanceStore = {
  /** What is drawn: the choices, with those of the route that is open on top. */
  readonly current: Live<Appearance>;
  /** What was chosen, without the route's own: what the settings panel shows and what is saved. */
  readonly chosen: Live<AppearanceChoice>;
  /** Adds to the choices. Another layout style begins with that layout's own defaults. */
  change(choice: AppearanceChange): void;
  /** Replaces the choices, as by those that are saved with an account; without any the operator's hold again. */
  take(saved?: AppearanceChoice): void;
  /** What the route that is open asks for; undefined when it asks for nothing: the one before falls away. */
  forRoute(config: LayoutConfigChoice | undefined): void;
};
/** A direction of undefined goes back to that of the language. */
export type AppearanceChange = Omit<AppearanceChoice, "direction"> & { direction?: "ltr" | "rtl" | undefined };

/** What the operator's settings say of it. */
type Operator = Pick<Settings, "layout" | "theme">;

/** The palettes without a choice. */
const NIGHT: Appearance["theme"] = { main: "night", navbar: "night", toolbar: "night", footer: "night" };

/** The appearance over what the operator's settings say. */
export function createAppearance(operator: Operator): AppearanceStore {
  const chosen = createStore<AppearanceChoice>(() => ({}));
  let route: LayoutConfigChoice | undefined;
  const drawn = () => appearanceOf(operator, chosen.getState(), route);
  const current = createStore(drawn);
  function take(choice: AppearanceChoice = {}): void {
    chosen.setState(choice, true);
    current.setState(drawn(), true);
  }
  return {
    current,
    chosen,
    change({ layout, ...others }) {
      const before = chosen.getState();
      if (layout === undefined) return take(mergeDeep(before, others));
      const style = before.layout?.style ?? operator.layout;
      // Options are kept with the style that they belong to, and leave with it.
      const kept = layout.style === undefined || layout.style === style ? before : { ...before, layout: {} };
      take(mergeDeep(kept, { ...others, layout: { style, ...layout } }));
    },
    take,
    forRoute(config) {
      if (config === route) return;
      route = config;
      current.setState(drawn(), true);
    },
  };
}

function appearanceOf(operator: Operator, choice: AppearanceChoice, route: LayoutConfigChoice | undefined): Appearance {
  const { layout, theme, customScrollbars = true, animations = true, direction } = choice;
  const style = layout?.style ?? operator.layout;
  return {
    layout: { style, config: withChoice(withChoice(LAYOUT_DEFAULTS[style], layout?.config), route) },
    ...{ customScrollbars, animations, direction },
    theme: mergeDeep(mergeDeep(NIGHT, operator.theme), theme ?? {}),
  };
}

export type LayoutStyle = (typeof LAYOUTS)[number];
type LayoutMode = (typeof LAYOUT_MODES)[number];
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
