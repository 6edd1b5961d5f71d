import * as z from "zod/mini";
import { LAYOUTS, ThemeChoice } from "../settings.ts";

/** How wide a layout is: a box of its boxed width, the whole window, or a column for the content under full bars (template layouts). */
export const LAYOUT_MODES = ["boxed", "fullwidth", "container"] as const;
/** The parts of a page that may have a palette of their own. */
export const REGIONS = ["main", "navbar", "toolbar", "footer"] as const;
export type Region = (typeof REGIONS)[number];

const flag = z.boolean();
const barStyle = z.enum(["fixed", "static"]);
const order = z.enum(["above", "below"]);
const panel = z.partial(z.object({ display: flag }));

/** Options of a layout; each layout reads those that it has (rows R-3-23, R-2.10-49). What is left out is the layout's default. */
export const LayoutConfigChoice = z.partial(
  z.object({
    mode: z.enum(LAYOUT_MODES),
    scroll: z.enum(["body", "content"]),
    navbar: z.partial(z.object({ display: flag, folded: flag, position: z.enum(["left", "right"]) })),
    toolbar: z.partial(z.object({ display: flag, style: barStyle, position: order })),
    footer: z.partial(z.object({ display: flag, style: barStyle, position: order })),
    leftSidePanel: panel,
    rightSidePanel: panel,
  }),
);
export type LayoutConfigChoice = z.output<typeof LayoutConfigChoice>;

/** What somebody chose of the appearance, over the defaults: kept on the platform with the account, at most 4 KiB as JSON. */
export const AppearanceChoice = z.partial(
  z.object({
    layout: z.partial(z.object({ style: z.enum(LAYOUTS), config: LayoutConfigChoice })),
    customScrollbars: flag,
    animations: flag,
    direction: z.enum(["ltr", "rtl"]),
    theme: ThemeChoice,
  }),
);
export type AppearanceChoice = z.output<typeof AppearanceChoice>;
