import type { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import type { Area } from "@longarm/ui/i18n/texts.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import type { ComponentType } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { NavigationAuth, NavigationItem } from "../../shared/navigation/navigation.ts";
import type { Variant } from "./page-layouts/variants.ts";
import { CARDED, SIMPLE } from "./page-layouts/variants.ts";

/** A page of the template: its address, its access, and what draws it. */
export type ShowcasePage = {
  readonly path: `/${string}`;
  /** Its name in English, and the key of the shown one. */
  readonly title: string;
  readonly label: TextKey;
  readonly icon?: IconName;
  /** The roles that may open it; undefined: everybody (decision D-07). */
  readonly auth?: NavigationAuth;
  /** Catalogue areas that it needs. */
  readonly areas?: readonly Area[];
  /** The page draws its own h1, in a header over the whole width; without it, the heading is made of its title. */
  readonly heading?: "own";
  /** What it asks of the layout. Falls away on the next page. */
  readonly layout?: LayoutConfigChoice;
  /** What draws it, given its shown title. Left out: a route outside of the template does. */
  readonly load?: () => Promise<ComponentType<{ readonly title: string }>>;
};
/** Pages under one heading of the navigation. */
type ShowcaseGroup = {
  readonly id: string;
  readonly title: string;
  readonly label: TextKey;
  readonly icon?: IconName;
  readonly pages: readonly (ShowcasePage | ShowcaseGroup)[];
};

/** Everybody who is signed in. */
const signedIn = { auth: ["admin", "staff", "user"] } as const;

const AUTH_PAGES = [
  ...["login", "login-2", "login-3", "register", "register-2", "register-3", "forgot-password"],
  ...["forgot-password-2", "reset-password", "reset-password-2", "lock", "mail-confirm"],
] as const;
const authPage = (name: (typeof AUTH_PAGES)[number]): ShowcasePage => ({
  ...{ path: `/pages/auth/${name}`, title: name, label: `pages.${name}`, areas: ["templateAuth"], heading: "own" },
  load: async () => (await import("./auth/auth-pages.tsx")).authPage(name),
});
const rolePage = (role: "admin" | "staff" | "guest", title: string, auth: NavigationAuth): ShowcasePage => ({
  ...{ path: `/auth/${role}-role-example`, title, label: `pages.${role}Role`, auth },
  ...{ areas: ["templateAuth", "gallery"], heading: "own" },
  load: async () => (await import("./pages/role-example.tsx")).ROLE_EXAMPLES[role],
});
const searchPage = (look: "classic" | "modern", title: string, label: TextKey): ShowcasePage => ({
  ...{ path: `/pages/search/${look}`, title, label, ...signedIn, areas: ["templateSample"], heading: "own" },
  load: async () => (await import("./pages/search-page.tsx")).SEARCH_PAGES[look],
});
const pageLayouts = <Name extends keyof typeof CARDED | keyof typeof SIMPLE>(
  kind: "carded" | "simple",
  variants: Readonly<Record<Name, Variant>>,
): ShowcasePage[] =>
  (Object.keys(variants) as Name[]).map((name) => ({
    ...{ path: `/ui/page-layouts/${kind}/${name}`, title: `${kind} ${name}`, label: `pages.${name}`, ...signedIn },
    ...{ areas: ["demo"], heading: "own" },
    load: async () => (await import("./page-layouts/variant-page.tsx")).variantPage(kind, variants[name]),
  }));

/** Every page of the template, in the order of the navigation. */
const SHOWCASE: readonly ShowcaseGroup[] = [
  {
    ...{ id: "pages", title: "Pages", label: "pages.pages" },
    pages: [
      {
        ...{ id: "authentication", title: "Authentication", label: "pages.authentication", icon: "lock" },
        pages: AUTH_PAGES.map(authPage),
      },
      {
        ...{ path: "/pages/coming-soon", title: "Coming Soon", label: "pages.comingSoon", icon: "clock" },
        ...{ areas: ["templateAuth"], heading: "own" },
        load: async () => (await import("./auth/auth-pages.tsx")).ComingSoon,
      },
      {
        ...{ id: "errors", title: "Errors", label: "pages.errors", icon: "warning" },
        pages: [
          // Outside of the template: an unknown address leads to it, template or not.
          { path: "/pages/errors/error-404", title: "404", label: "pages.error404" },
          {
            ...{ path: "/pages/errors/error-500", title: "500", label: "pages.error500" },
            ...{ areas: ["templateAuth"], heading: "own" },
            load: async () => (await import("./auth/auth-pages.tsx")).Error500,
          },
        ],
      },
      {
        ...{ path: "/pages/profile", title: "Profile", label: "pages.profile", icon: "player", ...signedIn },
        ...{ areas: ["templateSample"], heading: "own" },
        load: async () => (await import("./profile/profile-page.tsx")).SampleProfile,
      },
      {
        ...{ id: "search-pages", title: "Search", label: "pages.search", icon: "search" },
        pages: [
          searchPage("classic", "Classic", "pages.searchClassic"),
          searchPage("modern", "Modern", "pages.searchModern"),
        ],
      },
      {
        ...{ id: "roles", title: "Role examples", label: "pages.roles", icon: "eye" },
        pages: [
          rolePage("admin", "Admin", ["admin"]),
          rolePage("staff", "Staff", ["admin", "staff"]),
          rolePage("guest", "Guest", []),
        ],
      },
    ],
  },
  {
    ...{ id: "user-interface", title: "User Interface", label: "pages.userInterface" },
    pages: [
      {
        ...{ path: "/ui/icons", title: "Icons", label: "pages.icons", icon: "heart", ...signedIn },
        areas: ["gallery", "iconTags"],
        load: async () => (await import("./gallery/icons-page.tsx")).IconsPage,
      },
      {
        ...{ path: "/ui/typography", title: "Typography", label: "pages.typography", icon: "menu", ...signedIn },
        areas: ["gallery"],
        load: async () => (await import("./gallery/typography-page.tsx")).TypographyPage,
      },
      {
        ...{ path: "/ui/helper-classes", title: "Helper Classes", label: "pages.helperClasses", icon: "check" },
        ...{ ...signedIn, areas: ["gallery"] },
        load: async () => (await import("./gallery/tokens-page.tsx")).TokensPage,
      },
      {
        ...{ id: "page-layouts", title: "Page Layouts", label: "pages.pageLayouts", icon: "columns" },
        pages: [
          { id: "carded", title: "Carded", label: "pages.carded", pages: pageLayouts("carded", CARDED) },
          { id: "simple", title: "Simple", label: "pages.simple", pages: pageLayouts("simple", SIMPLE) },
          {
            ...{ path: "/ui/page-layouts/blank", title: "Blank", label: "pages.blank", areas: ["demo"], ...signedIn },
            load: async () => (await import("./page-layouts/variant-page.tsx")).BlankPage,
          },
        ],
      },
      {
        ...{ path: "/documentation", title: "Documentation", label: "pages.documentation", icon: "info", ...signedIn },
        ...{ areas: ["gallery", "guide", "lobby", "bars", "play", "wallet", "lock", "theme"], heading: "own" },
        load: async () => (await import("./guide/guide-page.tsx")).GuidePage,
      },
    ],
  },
];

/** The pages of a group, those of the groups below it too. */
const pagesIn = ({ pages }: ShowcaseGroup): readonly ShowcasePage[] =>
  pages.flatMap((one) => ("pages" in one ? pagesIn(one) : [one]));
/** All of them. */
export const SHOWCASE_PAGES: readonly ShowcasePage[] = SHOWCASE.flatMap(pagesIn);

/** The page of an address. Undefined: there is none. */
export function pageAt(path: string): ShowcasePage | undefined {
  const plain = path.replace(/\/+$/, "");
  return SHOWCASE_PAGES.find((page) => page.path === plain && page.load !== undefined);
}

/** The showcase as the navigation shows it: its two groups, with parts that open and close. */
export const SHOWCASE_NAVIGATION: readonly NavigationItem[] = SHOWCASE.map((group) => ({
  ...groupOf(group),
  type: "group",
}));

function groupOf({ id, title, label, icon, pages }: ShowcaseGroup): NavigationItem {
  const children = pages.map((one) => ("pages" in one ? groupOf(one) : itemOf(one)));
  return { id, type: "collapse", title, label, ...(icon && { icon }), children };
}

function itemOf({ path, title, label, icon, auth }: ShowcasePage): NavigationItem {
  return { id: path, type: "item", title, label, url: path, exact: true, ...(icon && { icon }), ...(auth && { auth }) };
}
