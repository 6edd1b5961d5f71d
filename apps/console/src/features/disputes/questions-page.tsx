import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useWhen } from "../../shared/care/care-view.tsx";
import { paths } from "../../shared/paths.ts";
import css from "../../shared/ui/case.module.css";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";

type Which = "open" | "decided";
type Row = AnswerOf<"disputes">["rows"][number];
/** More than a venue keeps open; older ones come by the command line. */
const ROWS = 200;

/** Questions of players about a game: what is due first comes first. */
export function QuestionsPage() {
  const { t } = useText();
  const [which, setWhich] = useState<Which>("open");
  const found = useRead("disputes", { query: { state: which, limit: ROWS } });
  return (
    <Page title={t("app.disputes")} about={t("disputes.about")}>
      <div className={css["tools"]}>
        <Segment<Which>
          label={t("disputes.which")}
          value={which}
          onChange={setWhich}
          options={(["open", "decided"] as const).map((value) => ({ value, label: t(`disputes.${value}`) }))}
        />
      </div>
      <Panel title={t("disputes.questions")} foot={t("disputes.foot")}>
        <Loaded of={found}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty icon="check" title={t("disputes.none")} body={t("disputes.noneAbout")} />
            ) : (
              <Questions rows={rows} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

function Questions({ rows }: { readonly rows: readonly Row[] }) {
  const { t } = useText();
  const at = useWhen();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("disputes.number")}</th>
            <th scope="col">{t("disputes.player")}</th>
            <th scope="col">{t("disputes.game")}</th>
            <th scope="col">{t("disputes.kind")}</th>
            <th scope="col">{t("disputes.owner")}</th>
            <th scope="col">{t("disputes.due")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Link
                  className={css["link"] ?? ""}
                  to={`${paths.disputes}/$id` as string}
                  params={{ id: row.id } as never}
                >
                  {row.number}
                </Link>
              </td>
              <td>
                <bdi>{row.player.username}</bdi>
              </td>
              <td>
                <bdi>{row.machine.name}</bdi> <span className="num">{row.gameNumber}</span>
              </td>
              <td>
                <QuestionLamp row={row} />
                <small>{t(`disputes.kind_${row.kind}`)}</small>
              </td>
              <td>{row.owner?.name ?? <span className="soft">{t("disputes.notTaken")}</span>}</td>
              <td className="num">{at(row.decidedAt ?? row.dueAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

/** How far a question is, or its verdict. */
export function QuestionLamp({ row: { state, verdict } }: { readonly row: Pick<Row, "state" | "verdict"> }) {
  const { t } = useText();
  if (verdict !== null) return <Lamp status="off">{t(`disputes.verdict_${verdict}`)}</Lamp>;
  return <Lamp status={state === "received" ? "fault" : "waiting"}>{t(`disputes.state_${state}`)}</Lamp>;
}
