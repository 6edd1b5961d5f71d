import type { Translate } from "@longarm/ui/i18n/texts.ts";
import type { Findable } from "../../features/shell/search/find-items.ts";
import { pagesOf } from "../../features/shell/search/find-items.ts";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import type { NavigationItem } from "../../shared/navigation/navigation.ts";
import { viewerOf, visibleTree } from "../../shared/navigation/navigation.ts";
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

/** The template's pages that this player may see, in the language of `t`: for the casino shell's search and shortcuts, when they need them. */
export async function foundPages(
  app: App,
  player: SignedInPlayer | undefined,
): Promise<(t: Translate) => readonly Findable[]> {
  const tree = visibleTree(await loadTemplateTree(app), viewerOf(player));
  return (t) => pagesOf(tree, t);
}
