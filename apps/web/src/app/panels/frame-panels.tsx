import { lazy, Suspense } from "react";
import { useMedia } from "../../shared/ui/use-media.ts";
import type { App } from "../app.ts";
import type { PlayerPart } from "../player/player-part.ts";

const TeamChatPart = lazy(() => import("./team-chat-part.tsx").catch(() => ({ default: () => null })));
const QuickPanelPart = lazy(() =>
  import("./quick-panel-part.tsx").then(
    ({ QuickPanelPart: part }) => ({ default: part }),
    () => ({ default: () => null }),
  ),
);

/** Under it there is no room for a column of faces beside the page (template-inventory 3). */
const NO_ROOM = "(max-width: 79.99rem)";

type PanelProps = { readonly app: App; readonly part: PlayerPart | undefined };

/** Toggles of the panels for the toolbar of the template's layouts. A column of faces has a key of its own. */
export function PanelKeys({ app, part, withQuickPanel }: PanelProps & { readonly withQuickPanel: boolean }) {
  const small = useMedia(NO_ROOM);
  return (
    <Suspense>
      {small && part?.player.teamChat && <TeamChatPart app={app} part={part} form="key" />}
      {withQuickPanel && <QuickPanelPart app={app} />}
    </Suspense>
  );
}

/** What stands at the end side of the template's layouts: the faces of Team Chat, or where there is no room its panel over the page. */
export function SidePanels({ app, part }: PanelProps) {
  const small = useMedia(NO_ROOM);
  if (!part?.player.teamChat) return null;
  return (
    <Suspense>
      <TeamChatPart app={app} part={part} form={small ? "overlay" : "strip"} />
    </Suspense>
  );
}
