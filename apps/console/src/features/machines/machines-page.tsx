import type { MachineLife } from "@longarm/contract/staff-fleet";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import type { LifeAct } from "../../shared/ui/life-sheet.tsx";
import { LIFE_LAMPS, LifeSheet, percentText } from "../../shared/ui/life-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./machines.module.css";

/** Every machine that was ever enrolled, also one that is expected or retired. */
export function MachinesPage() {
  const { t, language } = useText();
  const machines = useRead("machines");
  const may = useMay("machine.configure");
  const online = useOnline();
  const [open, setOpen] = useState<LifeAct>();
  const rows = machines.data?.rows;
  const inService = rows?.filter(({ state }) => state === "inService").length ?? 0;
  return (
    <Page title={t("app.machines")} about={rows && t("machines.count", { count: inService })}>
      <Panel
        title={t("machines.all")}
        foot={t("machines.allAbout")}
        tools={
          may && (
            <Key kind="brass" icon="plus" disabled={!online} onClick={() => setOpen({ is: "enrol" })}>
              {t("machines.act_enrol")}
            </Key>
          )
        }
      >
        <Loaded of={machines}>
          {({ rows: all }) =>
            all.length === 0 ? (
              <Empty title={t("machines.none")} body={t("machines.noneAbout")} />
            ) : (
              <Scroller>
                <table className={panelCss["table"]}>
                  <thead>
                    <tr>
                      <th scope="col">{t("machines.name")}</th>
                      <th scope="col">{t("machines.state")}</th>
                      <th scope="col">{t("machines.group")}</th>
                      <th scope="col" className={css["rest"]}>
                        {t("machines.agent")}
                      </th>
                      <th scope="col" data-number className={css["rest"]}>
                        {t("machines.return")}
                      </th>
                      {may && (
                        <td>
                          <span className="visually-hidden">{t("machines.acts")}</span>
                        </td>
                      )}
                    </tr>
                  </thead>
                  <tbody>
                    {all.map((machine) => (
                      <tr key={machine.id} data-ended={machine.state === "retired" || undefined} className={css["row"]}>
                        <td>
                          <Name machine={machine} />
                        </td>
                        <td>
                          <Lamp status={LIFE_LAMPS[machine.state]}>{t(`machines.state_${machine.state}`)}</Lamp>
                        </td>
                        <td className="soft">{machine.group ?? "–"}</td>
                        <td className={`soft ${css["rest"]}`}>{machine.agent?.name ?? "–"}</td>
                        <td data-number className={css["rest"]}>
                          {percentText(machine.theoreticalReturn, language)}
                        </td>
                        {may && (
                          <td className={css["acts"]}>
                            <Acts machine={machine} open={setOpen} />
                          </td>
                        )}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scroller>
            )
          }
        </Loaded>
      </Panel>
      <LifeSheet act={open} close={() => setOpen(undefined)} />
    </Page>
  );
}

/** One that never came has no page of its own. */
function Name({ machine: { id, name, state } }: { readonly machine: MachineLife }) {
  return (
    <span className={css["name"]}>
      {state === "expected" ? (
        <b>{name}</b>
      ) : (
        <Link to={`${paths.floor}/$id` as string} params={{ id } as never}>
          {name}
        </Link>
      )}
      <small className="ltr">{id}</small>
    </span>
  );
}

function Acts({ machine, open }: { readonly machine: MachineLife; readonly open: (act: LifeAct) => void }) {
  const { t } = useText();
  const online = useOnline();
  const key = (is: "move" | "retire" | "return") => (
    <Key
      kind="bare"
      disabled={!online}
      aria-label={t("machines.actOf", { act: t(`machines.act_${is}`), name: machine.name })}
      onClick={() => open({ is, machine })}
    >
      {t(`machines.act_${is}`)}
    </Key>
  );
  return machine.state === "retired"
    ? key("return")
    : [<span key="move">{key("move")}</span>, <span key="retire">{key("retire")}</span>];
}
