import type { LobbyMachine } from "@longarm/contract/machine";
import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { keyClass } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import { shownName } from "../model/shown-name.ts";
import css from "./dock.module.css";
import { MachineName } from "./machine-card.tsx";
import { MachinePicture } from "./machine-picture.tsx";
import { SecondsLeft } from "./seconds-left.tsx";

type DockProps = {
  readonly machine: LobbyMachine;
  readonly clock: { now(): number };
  readonly still: (image: string) => string | undefined;
};

/** Small screens: the seat kept for the player, always in reach of the thumb. */
export function Dock({ machine, clock, still }: DockProps) {
  const { t } = useText();
  return (
    <aside className={css["dock"]} data-dock aria-label={t("lobby.waitingMine")}>
      <MachinePicture machine={machine} still={still} />
      <div>
        <b>
          <MachineName name={shownName(machine)} />
        </b>
        <Lamp status="waiting">
          {machine.until ? (
            <SecondsLeft until={machine.until} clock={clock} over={t("lobby.waitingMine")} />
          ) : (
            t("lobby.waitingMine")
          )}
        </Lamp>
      </div>
      <Link {...paths.game(machine.id, machine.name)} preload={false} className={keyClass({ kind: "brass" })}>
        {t("lobby.continue")}
      </Link>
    </aside>
  );
}
