import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useWhen } from "../../shared/care/care-view.tsx";
import { useConsole } from "../../shared/console.ts";
import { paths } from "../../shared/paths.ts";
import css from "../../shared/ui/case.module.css";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { DrawnGames } from "./drawn-games.tsx";

const SHOWN = ["open", "late", "soon", "decided", "drawn"] as const;
type Which = (typeof SHOWN)[number];
type Row = AnswerOf<"disputes">["rows"][number];
/** More than a venue keeps open; older ones come by the command line. */
const ROWS = 200;
/** An answer is due soon within a day. */
const SOON_MS = 86_400_000;

/** Whether the answer to a question is late, or due soon; undefined: neither, or it is answered. */
function dueness({ decidedAt, dueAt }: Pick<Row, "decidedAt" | "dueAt">, nowMs: number): "late" | "soon" | undefined {
  const leftMs = Date.parse(dueAt) - nowMs;
  if (decidedAt !== null || leftMs > SOON_MS) return undefined;
  return leftMs <= 0 ? "late" : "soon";
}

/** Questions of players about a game: what is due first comes first. */
export function QuestionsPage() {
  const { t } = useText();
  const [which, setWhich] = useState<Which>("open");
  return (
    <Page title={t("app.disputes")} about={t("disputes.about")}>
      <div className={css["tools"]}>
        <Segment<Which>
          label={t("disputes.which")}
          value={which}
          onChange={setWhich}
          options={SHOWN.map((value) => ({ value, label: t(`disputes.${value}`) }))}
        />
      </div>
      {which === "drawn" ? <DrawnGames /> : <QuestionsPanel which={which} />}
    </Page>
  );
}

function QuestionsPanel({ which }: { readonly which: Exclude<Which, "drawn"> }) {
  const { t } = useText();
  const { clock } = useConsole();
  const found = useRead("disputes", { query: { state: which === "decided" ? "decided" : "open", limit: ROWS } });
  const isShown = (row: Row) => which === "open" || which === "decided" || dueness(row, clock.now()) === which;
  return (
    <Panel title={t("disputes.questions")} foot={t("disputes.foot")}>
      <Loaded of={found}>
        {({ rows }) =>
          rows.some(isShown) ? (
            <Questions rows={rows.filter(isShown)} />
          ) : (
            <Empty icon="check" title={t("disputes.none")} body={t("disputes.noneAbout")} />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** By what the rows are sorted; nothing: as the platform has them, what is due first first. */
type Sorted = { readonly by: "number" | "owner" | "due"; readonly down: boolean };
const ORDERS: Readonly<Record<Sorted["by"], (one: Row, other: Row) => number>> = {
  number: (one, other) => one.number - other.number,
  owner: (one, other) => (one.owner?.name ?? "").localeCompare(other.owner?.name ?? ""),
  due: (one, other) => Date.parse(one.decidedAt ?? one.dueAt) - Date.parse(other.decidedAt ?? other.dueAt),
};

/** The head of a column that sorts by it: up, down, and as before. */
function SortHead(props: {
  readonly name: Sorted["by"];
  readonly sorted: Sorted | undefined;
  readonly onSort: (sorted: Sorted | undefined) => void;
}) {
  const { t } = useText();
  const { name, sorted } = props;
  const order = orderOf(name, sorted);
  const next = { none: { by: name, down: false }, ascending: { by: name, down: true }, descending: undefined };
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" className={css["sort"]} onClick={() => props.onSort(next[order])}>
        {t(`disputes.${name}`)}
        <Icon name="down" />
      </button>
    </th>
  );
}

function orderOf(name: Sorted["by"], sorted: Sorted | undefined): "none" | "ascending" | "descending" {
  if (sorted?.by !== name) return "none";
  return sorted.down ? "descending" : "ascending";
}

function Questions({ rows }: { readonly rows: readonly Row[] }) {
  const { t } = useText();
  const at = useWhen();
  const { clock } = useConsole();
  const [sorted, onSort] = useState<Sorted>();
  const up = sorted === undefined ? rows : rows.toSorted(ORDERS[sorted.by]);
  const inOrder = sorted?.down === true ? up.toReversed() : up;
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <SortHead name="number" {...{ sorted, onSort }} />
            <th scope="col">{t("disputes.player")}</th>
            <th scope="col">{t("disputes.game")}</th>
            <th scope="col">{t("disputes.kind")}</th>
            <SortHead name="owner" {...{ sorted, onSort }} />
            <SortHead name="due" {...{ sorted, onSort }} />
          </tr>
        </thead>
        <tbody>
          {inOrder.map((row) => (
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
              <td className={css["seen"]}>
                <QuestionLamp row={row} />
                <small>{t(`disputes.kind_${row.kind}`)}</small>
              </td>
              <td>{row.owner?.name ?? <span className="soft">{t("disputes.notTaken")}</span>}</td>
              <td className={css["seen"]}>
                <Due row={row} nowMs={clock.now()} />
                <small className="num">{at(row.decidedAt ?? row.dueAt)}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

/** That the answer is late, or due soon. */
export function Due({ row, nowMs }: { readonly row: Pick<Row, "decidedAt" | "dueAt">; readonly nowMs: number }) {
  const { t } = useText();
  const is = dueness(row, nowMs);
  if (is === undefined) return null;
  return <Lamp status={is === "late" ? "fault" : "waiting"}>{t(`disputes.${is}`)}</Lamp>;
}

/** How far a question is, or its verdict. */
export function QuestionLamp({ row: { state, verdict } }: { readonly row: Pick<Row, "state" | "verdict"> }) {
  const { t } = useText();
  if (verdict !== null) return <Lamp status="off">{t(`disputes.verdict_${verdict}`)}</Lamp>;
  return <Lamp status={state === "received" ? "fault" : "waiting"}>{t(`disputes.state_${state}`)}</Lamp>;
}
