import { useMedia } from "@longarm/ui/use-media.ts";
import { lazy, Suspense } from "react";
import { casinoWith, Framed } from "../../features/shell/frames/framed.tsx";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import { leadsToTemplate } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { loadTemplateTree } from "./template-tree.ts";

/** Everything of the bars that is not the casino shell as it is. */
export type Frames = Awaited<ReturnType<typeof loadFrames>>;

export async function loadFrames(app: App) {
  const [templateTree] = await Promise.all([loadTemplateTree(app), app.texts.need("bars")]);
  const pages = leadsToTemplate(app.settings)
    ? { documentation: paths.documentation, register: "/pages/auth/register" }
    : { documentation: undefined, register: undefined };
  return { Framed, PanelKeys, SidePanels, casinoWith, templateTree, pages };
}

const TeamChatPanel = lazy(() => import("../panels/team-chat-panel.tsx").catch(() => ({ default: () => null })));
const QuickPanelWithKey = lazy(() =>
  import("../panels/quick-panel.tsx").then(
    ({ QuickPanelWithKey }) => ({ default: QuickPanelWithKey }),
    () => ({ default: () => null }),
  ),
);

/** Under it there is no room for a column of faces beside the page (template-inventory 3). */
const NO_ROOM = "(max-width: 79.99rem)";

type PanelProps = { readonly app: App; readonly link: PlayerLink | undefined };

/** Toggles of the panels for the toolbar of the template's layouts. A column of faces has a key of its own. */
function PanelKeys({ app, link, withQuickPanel }: PanelProps & { readonly withQuickPanel: boolean }) {
  const small = useMedia(NO_ROOM);
  return (
    <Suspense>
      {small && link?.player.teamChat && <TeamChatPanel app={app} link={link} form="key" />}
      {withQuickPanel && <QuickPanelWithKey app={app} />}
    </Suspense>
  );
}

/** The end side of the template's layouts: the faces of Team Chat, or on small screens its panel over the page. */
function SidePanels({ app, link }: PanelProps) {
  const small = useMedia(NO_ROOM);
  if (!link?.player.teamChat) return null;
  return (
    <Suspense>
      <TeamChatPanel app={app} link={link} form={small ? "overlay" : "strip"} />
    </Suspense>
  );
}
