import type { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import type { LayoutConfig, LayoutStyle } from "../../shared/appearance/layout-config.ts";

type Bar = "navbar" | "toolbar" | "footer";
/** One option of a layout: a switch, or a choice of few. `of`: the bar that it belongs to; without it it is the layout's own. */
export type LayoutOption =
  | { readonly of: Bar; readonly name: "display" | "folded"; readonly values?: undefined }
  | { readonly of: Bar; readonly name: "position" | "style"; readonly values: readonly OptionValue[] }
  | { readonly of?: undefined; readonly name: "mode" | "scroll"; readonly values: readonly OptionValue[] };
/** Every value has a text of its name. */
export type OptionValue =
  | ("boxed" | "fullwidth" | "container" | "body" | "content")
  | ("left" | "right" | "above" | "below" | "fixed" | "static");

const display = (of: Bar) => ({ of, name: "display" }) as const;
const order = (of: "toolbar" | "footer") => ({ of, name: "position", values: ["above", "below"] }) as const;
const stay = (of: "toolbar" | "footer") => ({ of, name: "style", values: ["fixed", "static"] }) as const;
const width = (...values: ("boxed" | "fullwidth" | "container")[]) => ({ name: "mode", values }) as const;

/** The options that each layout has, as its part of the settings panel offers them. */
export const LAYOUT_OPTIONS: Readonly<Record<LayoutStyle, readonly LayoutOption[]>> = {
  layout1: [
    width("boxed", "fullwidth"),
    { name: "scroll", values: ["body", "content"] },
    display("navbar"),
    { of: "navbar", name: "folded" },
    { of: "navbar", name: "position", values: ["left", "right"] },
    ...[display("toolbar"), stay("toolbar"), order("toolbar")],
    ...[display("footer"), stay("footer"), order("footer")],
  ],
  layout2: [
    width("boxed", "fullwidth", "container"),
    display("navbar"),
    ...[display("toolbar"), order("toolbar")],
    ...[display("footer"), stay("footer")],
  ],
  layout3: [
    width("boxed", "fullwidth", "container"),
    display("navbar"),
    display("toolbar"),
    ...[display("footer"), stay("footer")],
  ],
};

/** What an option says now. */
export function optionOf(config: LayoutConfig, { of, name }: LayoutOption): string | boolean | undefined {
  const part: object = of === undefined ? config : config[of];
  return (part as Record<string, string | boolean | undefined>)[name];
}

/** The choice that an option makes. */
export function choiceOf({ of, name }: LayoutOption, value: string | boolean): LayoutConfigChoice {
  return of === undefined ? { [name]: value } : { [of]: { [name]: value } };
}
