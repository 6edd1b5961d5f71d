import type { AppearanceChoice, LayoutConfigChoice, Region } from "@longarm/contract/appearance";
import { REGIONS } from "@longarm/contract/appearance";
import { createStore } from "zustand/vanilla";
import type { Live } from "../live/live.ts";
import type { LayoutConfig, LayoutStyle } from "./layout-config.ts";
import { LAYOUT_DEFAULTS, withChoice } from "./layout-config.ts";

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
  change(choice: AppearanceChoice): void;
  /** Replaces the choices, as by those that are saved with an account; undefined goes back to the operator's. */
  take(saved: AppearanceChoice | undefined): void;
  /** What the route that is open asks for; undefined when it asks for nothing: the one before falls away. */
  forRoute(config: LayoutConfigChoice | undefined): void;
};

/** The appearance over what the operator's settings say. */
export function createAppearance(operator: {
  layout: LayoutStyle;
  theme: Partial<Record<Region, string>>;
}): AppearanceStore {
  const chosen = createStore<AppearanceChoice>(() => ({}));
  let route: LayoutConfigChoice | undefined;
  const drawn = () => appearanceOf(operator, chosen.getState(), route);
  const current = createStore<Appearance>(drawn);
  function choose(choice: AppearanceChoice): void {
    chosen.setState(choice, true);
    current.setState(drawn(), true);
  }
  return {
    current,
    chosen,
    change(choice) {
      choose(merged(chosen.getState(), choice, current.getState().layout.style));
    },
    take: (saved) => choose(saved ?? {}),
    forRoute(config) {
      route = config;
      current.setState(drawn(), true);
    },
  };
}

function appearanceOf(
  operator: { layout: LayoutStyle; theme: Partial<Record<Region, string>> },
  choice: AppearanceChoice,
  route: LayoutConfigChoice | undefined,
): Appearance {
  const style = choice.layout?.style ?? operator.layout;
  const config = withChoice(withChoice(LAYOUT_DEFAULTS[style], choice.layout?.config), route);
  return {
    layout: { style, config },
    customScrollbars: choice.customScrollbars ?? true,
    animations: choice.animations ?? true,
    direction: choice.direction,
    theme: themeOf(operator.theme, choice.theme ?? {}),
  };
}

function themeOf(...choices: readonly Partial<Record<Region, string | undefined>>[]): Record<Region, string> {
  const theme = { main: "night", navbar: "night", toolbar: "night", footer: "night" };
  for (const choice of choices) {
    for (const region of REGIONS) theme[region] = choice[region] ?? theme[region];
  }
  return theme;
}

function merged(before: AppearanceChoice, choice: AppearanceChoice, style: LayoutStyle): AppearanceChoice {
  const next = choice.layout?.style ?? style;
  const config = next === style ? { ...before.layout?.config, ...choice.layout?.config } : choice.layout?.config;
  for (const part of ["navbar", "toolbar", "footer", "leftSidePanel", "rightSidePanel"] as const) {
    if (next !== style || config?.[part] === undefined) continue;
    Object.assign(config, { [part]: { ...before.layout?.config?.[part], ...config[part] } });
  }
  return {
    ...before,
    ...choice,
    layout: { ...before.layout, style: next, ...(config && { config }) },
    theme: { ...before.theme, ...choice.theme },
  };
}
