import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "../../shared/api.ts";
import { paths } from "../../shared/paths.ts";
import css from "../../shared/ui/case.module.css";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";

type Row = AnswerOf<"sampledGames">["rows"][number];

const LAMPS = { waiting: "waiting", agrees: "available", differs: "fault", unproved: "off" } as const satisfies Record<
  Row["state"],
  LampStatus
>;

/** Games that were drawn without a question, and what their proof came to. What differs comes first, whatever its day. */
export function DrawnGames() {
  const { t } = useText();
  const found = useRead("sampledGames", { query: {} });
  return (
    <Panel title={t("disputes.drawnTitle")} foot={t("disputes.drawnFoot")}>
      <Loaded of={found}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="check" title={t("disputes.drawnNone")} body={t("disputes.drawnNoneAbout")} />
          ) : (
            <Games rows={rows.toSorted((one, other) => Number(isFault(other)) - Number(isFault(one)))} />
          )
        }
      </Loaded>
    </Panel>
  );
}

const isFault = ({ state }: Row): boolean => state === "differs";

function Games({ rows }: { readonly rows: readonly Row[] }) {
  const { t } = useText();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("disputes.drawnDay")}</th>
            <th scope="col">{t("disputes.game")}</th>
            <th scope="col">{t("disputes.drawnResult")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, machine, gameNumber, state, why }) => (
            <tr key={`${gameNumber} ${machine.id}`}>
              <td className="num">
                <bdi dir="ltr">{day}</bdi>
              </td>
              <td>
                <Link
                  className={css["link"] ?? ""}
                  to={`${paths.games}/$machine/$number` as string}
                  params={{ machine: machine.id, number: String(gameNumber) } as never}
                >
                  <bdi>{machine.name}</bdi> <span className="num">{gameNumber}</span>
                </Link>
              </td>
              <td className={css["seen"]}>
                <Lamp status={LAMPS[state]}>{t(`disputes.drawn_${state}`)}</Lamp>
                {why.map((sentence) => (
                  <small key={sentence} dir="auto">
                    {sentence}
                  </small>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
