import type { Page } from "playwright-core";
import type { ShowcasePage } from "../../../apps/web/src/features/showcase/pages.ts";
import { SHOWCASE_PAGES } from "../../../apps/web/src/features/showcase/pages.ts";
import { axeFindings, overflowOf } from "../browser.ts";
import type { Played, Scene } from "../scene.ts";
import { asRole } from "./as-role.ts";

export const LAYOUTS = ["layout1", "layout2", "layout3"] as const;

/** How a page of the template is looked at. */
export type Look = {
  readonly layout: (typeof LAYOUTS)[number];
  readonly language: "tr" | "en" | "ar";
  readonly width: number;
  readonly height: number;
  /** Undefined: that of the language. */
  readonly direction?: "ltr" | "rtl";
};
export type Finding = { readonly path: string; readonly what: string };
type Open = (path: string, scene: Scene) => Promise<Played>;

/** Who has to come for a page to be shown. */
export type Visitor = "player" | "guest" | "admin";
export function visitorOf({ auth }: ShowcasePage): Visitor {
  if (auth === undefined || auth.includes("user")) return "player";
  return auth.length === 0 ? "guest" : "admin";
}
export const pagesFor = (visitor: Visitor): readonly ShowcasePage[] =>
  SHOWCASE_PAGES.filter((page) => visitorOf(page) === visitor);

/** Opens a page of the template as its visitor, in this look. */
export async function openTemplate(open: Open, path: string, visitor: Visitor, look: Look): Promise<Played> {
  const { layout, direction, ...window } = look;
  return open(path, {
    window,
    ...(visitor === "guest" && { guest: true }),
    world(world) {
      world.settings["layout"] = layout;
      world.signIn["settings"] = { ...(direction && { direction }) };
    },
    before: (page) => (visitor === "admin" ? asRole("admin")(page) : undefined),
  });
}

/** To another page without loading the document anew, as a link does. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

type Routed = {
  readonly state: { readonly status: string; readonly resolvedLocation?: { readonly pathname: string } };
};

/** Waits until the page of this address is drawn, pictures and all. The address is there before its page, so the router's state is read. */
export async function drawn(page: Page, path: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    // Nothing is routed before the token is checked.
    const routed = (globalThis as unknown as { __TSR_ROUTER__?: Routed }).__TSR_ROUTER__?.state;
    const isThere = routed?.status === "idle" && routed.resolvedLocation?.pathname === wanted;
    const inSight = [...document.images].filter((image) => image.getBoundingClientRect().top < innerHeight);
    return isThere && document.querySelector("h1") !== null && inSight.every(({ complete }) => complete);
  }, path);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** What is wrong with the page as it is: findings of axe, what does not fit in its window, a heading too many or too few. */
export async function findingsOf(page: Page, path: string): Promise<Finding[]> {
  const [axe, overflow, headings] = [await axeFindings(page), await overflowOf(page), await page.locator("h1").count()];
  return [
    ...axe,
    ...(overflow > 0 ? [`is ${overflow} px wider than its window`] : []),
    ...(headings === 1 ? [] : [`has ${headings} headings of the first level`]),
  ].map((what) => ({ path, what }));
}
