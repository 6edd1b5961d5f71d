import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useConsole } from "../../shared/console.ts";
import { GameLink } from "../../shared/floor/game-link.tsx";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./floor.module.css";

const GAMES_MAX = 30;

/** The last games of a machine: stake, win, and the credit before and after each. */
export function MachineGames({ id }: { readonly id: string }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const games = useRead("machineGames", { params: { id }, query: { limit: GAMES_MAX } });
  return (
    <Panel title={t("floor.gamesTitle")} about={t("floor.gamesAbout")}>
      <Loaded of={games}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("floor.noGames")} />
          ) : (
            <Scroller className={css["games"]}>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("floor.ended")}</th>
                    <th scope="col">{t("floor.game")}</th>
                    <th scope="col">{t("floor.player")}</th>
                    {(["bet", "win", "creditBefore", "creditAfter"] as const).map((name) => (
                      <th key={name} scope="col" data-number>
                        {t(`floor.${name}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((game) => (
                    <tr key={game.number}>
                      <td className="num soft">{whenText(game.endedAt, clock.now(), venue.timeZone, language)}</td>
                      <td className="num">
                        <GameLink machine={id} number={game.number} />
                      </td>
                      <td>{game.player?.username ?? "–"}</td>
                      {[game.stake, game.win, game.creditBefore, game.creditAfter].map((minor, index) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: four columns that never move.
                        <td key={index} data-number>
                          <Money minor={minor} tone="ink" />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Loaded>
    </Panel>
  );
}
