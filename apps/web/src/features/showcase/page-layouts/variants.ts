/** What a page of the page layouts has beside header, toolbar and content. */
export type Variant = {
  /** The side of its sidebar. */
  readonly side?: "start" | "end";
  /** Seven tabs instead of the toolbar. */
  readonly tabbed?: true;
  /** Only the content scrolls. */
  readonly innerScroll?: true;
  /** The sidebar is under the header. */
  readonly inside?: true;
};

/** The twelve carded pages by the end of their address (decision D-16); left and right are those of a page that is read from the left. */
export const CARDED = {
  "full-width": {},
  "full-width-tabbed": { tabbed: true },
  "full-width-2": { innerScroll: true },
  "full-width-2-tabbed": { innerScroll: true, tabbed: true },
  "left-sidebar": { side: "start" },
  "left-sidebar-tabbed": { side: "start", tabbed: true },
  "left-sidebar-2": { side: "start", innerScroll: true },
  "left-sidebar-2-tabbed": { side: "start", innerScroll: true, tabbed: true },
  "right-sidebar": { side: "end" },
  "right-sidebar-tabbed": { side: "end", tabbed: true },
  "right-sidebar-2": { side: "end", innerScroll: true },
  "right-sidebar-2-tabbed": { side: "end", innerScroll: true, tabbed: true },
} as const satisfies Record<string, Variant>;

/** The eight simple ones. */
export const SIMPLE = {
  "full-width": {},
  "left-sidebar": { side: "start" },
  "left-sidebar-2": { side: "start", innerScroll: true },
  "left-sidebar-3": { side: "start", inside: true },
  "right-sidebar": { side: "end" },
  "right-sidebar-2": { side: "end", innerScroll: true },
  "right-sidebar-3": { side: "end", inside: true },
  tabbed: { tabbed: true },
} as const satisfies Record<string, Variant>;
