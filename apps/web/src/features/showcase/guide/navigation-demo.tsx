import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { HorizontalNavigation } from "../../../shared/navigation/horizontal.tsx";
import { visibleTree } from "../../../shared/navigation/tree.ts";
import { VerticalNavigation } from "../../../shared/navigation/vertical.tsx";
import type { NavigationViewer } from "../../../shared/navigation/visible.ts";
import { Segment } from "../../../shared/ui/segment.tsx";
import { DEMO_NAVIGATION } from "./demo-navigation.ts";
import css from "./guide.module.css";

const VIEWERS = {
  guest: { roles: [], permissions: undefined, type: undefined },
  player: { roles: ["user"], permissions: ["145"], type: "player" },
  admin: { roles: ["admin"], permissions: [], type: undefined },
} as const satisfies Record<string, NavigationViewer>;
type Who = keyof typeof VIEWERS;

/** Both forms of the navigation with an entry of every kind, as one viewer or another sees it. */
export function NavigationDemo() {
  const { t } = useText();
  const [who, setWho] = useState<Who>("player");
  const items = visibleTree(DEMO_NAVIGATION, VIEWERS[who]);
  const options = (["guest", "player", "admin"] as const).map((value) => ({
    value,
    label: t(`guide.viewer-${value}`),
  }));
  return (
    <>
      <Segment label={t("guide.viewer")} value={who} onChange={setWho} options={options} />
      <nav className={css["line"]} aria-label={t("guide.horizontal")} data-region="navbar">
        <HorizontalNavigation items={items} />
      </nav>
      <nav className={css["tree"]} aria-label={t("guide.vertical")} data-region="navbar">
        <VerticalNavigation items={items} />
      </nav>
    </>
  );
}
