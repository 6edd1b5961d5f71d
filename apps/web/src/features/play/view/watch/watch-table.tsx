import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { Hud } from "../hud.tsx";
import type { PlayNow } from "../play-context.ts";
import { PlayContext } from "../play-context.ts";
import game from "../play-screen.module.css";
import { Stage } from "../stage.tsx";
import { StateLine } from "../state-line.tsx";
import { FullScreen, Volume } from "../tools.tsx";
import css from "./watch-table.module.css";

/** What a spectator sees: the machine, how its link is, and that it is only watched. */
export function WatchTable({ play }: { play: PlayNow }) {
  const { session, deps, machineName } = play;
  const { machine, phase, live, online } = useLive(session.state);
  return (
    <PlayContext value={play}>
      <main
        className={`${game["game"]} ${css["watch"]}`}
        data-palette="night"
        data-brand={machine?.brand ?? deps.machine?.brand}
        data-phase={phase}
        data-live={live}
        data-online={online}
      >
        <Stage />
        <Hud name={machine?.name ?? machineName} />
        <StateLine />
        <Bar />
      </main>
    </PlayContext>
  );
}

/** Says what this is. The way out stands where it stands in a game. */
function Bar() {
  const { t } = useText();
  return (
    <section className={css["bar"]} aria-label={t("play.watching")}>
      <p className={css["said"]}>
        <Icon name="eye" />
        {t("play.watching")}
      </p>
      <Volume />
      <FullScreen />
    </section>
  );
}
