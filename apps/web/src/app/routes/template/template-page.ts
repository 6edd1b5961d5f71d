import type { ComponentType } from "react";
import type { ShowcasePage } from "../../../features/showcase/pages.ts";
import { pageAt } from "../../../features/showcase/pages.ts";
import { paths } from "../../../shared/paths/paths.ts";
import type { Arriving } from "../../enter.ts";
import { goTo, guard } from "../../enter.ts";
import type { RouterContext } from "../../router-context.ts";

/** A page of the template with what draws it. */
export type LoadedPage = { readonly page: ShowcasePage; readonly Content: ComponentType<{ readonly title: string }> };

/** The page of this address, for whoever may open it: others are sent away, and an address that nobody knows leads to the 404 page. */
export function enterPage(arriving: Arriving): { page: ShowcasePage } {
  const page = pageAt(arriving.location.pathname);
  if (page === undefined) return goTo(paths.notFound)();
  guard(page.auth ?? null)(arriving);
  return { page };
}

/** What the page is drawn with: its own file, and its texts. */
export async function loadPage({ app, page }: RouterContext & { page: ShowcasePage }): Promise<LoadedPage> {
  const { load, areas = [] } = page;
  if (load === undefined) throw new Error(`Nothing draws ${page.path}`);
  const [Content] = await Promise.all([load(), app.texts.need("pages", ...areas)]);
  return { page, Content };
}
