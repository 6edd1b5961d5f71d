import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import type { App } from "../../app.ts";

/** The template's pages as groups of the navigation, with the texts of their titles. Empty where the operator's settings leave them out. */
export async function loadTemplateTree({ settings, texts }: App): Promise<readonly NavigationItem[]> {
  if (!settings.showTemplatePages) return [];
  const [{ SHOWCASE_NAVIGATION }] = await Promise.all([
    import("../../../features/showcase/navigation.ts"),
    texts.need("pages"),
  ]);
  return SHOWCASE_NAVIGATION;
}
