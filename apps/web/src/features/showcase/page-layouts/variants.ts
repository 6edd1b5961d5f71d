/** What a page of the page layouts has beside header, toolbar and content. */
export type Variant = {
  /** Where its sidebar stands. */
  readonly side?: "start" | "end";
  /** Seven tabs instead of the toolbar. */
  readonly tabbed?: true;
  /** Only the content scrolls. */
  readonly innerScroll?: true;
  /** The sidebar stands under the header. */
  readonly inside?: true;
};

const start = { side: "start" } as const;
const end = { side: "end" } as const;
const tabbed = true;
const innerScroll = true;
const inside = true;

/** The twelve carded pages by the end of their address (decision D-16); left and right are those of a page that is read from the left. */
export const CARDED = {
  "full-width": {},
  "full-width-tabbed": { tabbed },
  "full-width-2": { innerScroll },
  "full-width-2-tabbed": { innerScroll, tabbed },
  "left-sidebar": { ...start },
  "left-sidebar-tabbed": { ...start, tabbed },
  "left-sidebar-2": { ...start, innerScroll },
  "left-sidebar-2-tabbed": { ...start, innerScroll, tabbed },
  "right-sidebar": { ...end },
  "right-sidebar-tabbed": { ...end, tabbed },
  "right-sidebar-2": { ...end, innerScroll },
  "right-sidebar-2-tabbed": { ...end, innerScroll, tabbed },
} as const satisfies Record<string, Variant>;

/** The eight simple ones. */
export const SIMPLE = {
  "full-width": {},
  "left-sidebar": { ...start },
  "left-sidebar-2": { ...start, innerScroll },
  "left-sidebar-3": { ...start, inside },
  "right-sidebar": { ...end },
  "right-sidebar-2": { ...end, innerScroll },
  "right-sidebar-3": { ...end, inside },
  tabbed: { tabbed },
} as const satisfies Record<string, Variant>;
