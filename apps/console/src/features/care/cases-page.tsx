import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { CareRow } from "../../shared/care/care-view.tsx";
import { CaseLamp, useWhen } from "../../shared/care/care-view.tsx";
import { paths } from "../../shared/paths.ts";
import css from "../../shared/ui/case.module.css";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";

type Which = "open" | "closed";
/** More than a venue keeps open; older ones come by the command line. */
const ROWS = 200;

/** Cases of players who may need care: who has each, what was seen, what came of it. */
export function CasesPage() {
  const { t } = useText();
  const [which, setWhich] = useState<Which>("open");
  const cases = useRead("careCases", { query: { state: which, limit: ROWS } });
  const count = which === "open" ? cases.data?.rows.length : undefined;
  return (
    <Page title={t("app.care")} about={count === undefined ? undefined : t("care.about", { count })}>
      <div className={css["tools"]}>
        <Segment<Which>
          label={t("care.which")}
          value={which}
          onChange={setWhich}
          options={(["open", "closed"] as const).map((value) => ({ value, label: t(`care.${value}`) }))}
        />
      </div>
      <Panel title={t("care.cases")} foot={t("care.foot")}>
        <Loaded of={cases}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty
                icon="check"
                title={t(which === "open" ? "care.none" : "care.noneClosed")}
                body={t("care.noneAbout")}
              />
            ) : (
              <Cases rows={rows} which={which} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

function Cases({ rows, which }: { readonly rows: readonly CareRow[]; readonly which: Which }) {
  const { t } = useText();
  const at = useWhen();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("care.player")}</th>
            <th scope="col">{t(which === "open" ? "care.signs" : "care.outcome")}</th>
            <th scope="col">{t("care.owner")}</th>
            <th scope="col">{t("care.since")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Link className={css["link"] ?? ""} to={`${paths.care}/$id` as string} params={{ id: row.id } as never}>
                  <bdi>{row.player.username}</bdi>
                </Link>
              </td>
              <td className={css["seen"]}>
                <CaseLamp row={row} />
                <small>{[...new Set(row.signs.map(({ measure }) => t(`care.measure_${measure}`)))].join(" · ")}</small>
              </td>
              <td>{row.closedBy?.name ?? row.owner?.name ?? <span className="soft">{t("care.notTaken")}</span>}</td>
              <td className="num">{at(row.openedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
