import type { NavigationItem } from "../../shared/navigation/navigation.ts";
import type { App } from "../app.ts";
import { leadsToTemplate } from "../app.ts";

/** The template's pages as groups of the navigation, with the texts of their titles. Empty unless the operator's settings let the interface lead there. */
export async function loadTemplateTree({ settings, texts }: App): Promise<readonly NavigationItem[]> {
  if (!leadsToTemplate(settings)) return [];
  const [{ SHOWCASE_NAVIGATION }] = await Promise.all([
    import("../../features/showcase/pages.ts"),
    texts.need("pages"),
  ]);
  return SHOWCASE_NAVIGATION;
}
