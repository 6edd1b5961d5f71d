import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import type { LifeAct } from "../../shared/ui/life-sheet.tsx";
import { LIFE_LAMPS, LifeSheet, percentText } from "../../shared/ui/life-sheet.tsx";
import { Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./floor.module.css";

type LifeNow = AnswerOf<"machineLife">;

/** Where a machine belongs, what it counted before each RAM clear, and what changes its life. */
export function MachineLifePanel({ id }: { readonly id: string }) {
  const { t } = useText();
  const life = useRead("machineLife", { params: { id } });
  const [open, setOpen] = useState<LifeAct>();
  return (
    <Panel title={t("machines.life")}>
      <Loaded of={life}>{(now) => <LifeBody now={now} open={setOpen} />}</Loaded>
      <LifeSheet act={open} close={() => setOpen(undefined)} />
    </Panel>
  );
}

function LifeBody({ now, open }: { readonly now: LifeNow; readonly open: (act: LifeAct) => void }) {
  const { t, language } = useText();
  const { life, ramClears, lastReading } = now;
  const when = useWhen();
  const waiting = ramClears.some(({ state }) => state === "waiting");
  return (
    <div className={panelCss["body"]}>
      <Facts
        rows={[
          [
            t("machines.state"),
            <Lamp key="state" status={LIFE_LAMPS[life.state]}>
              {t(`machines.state_${life.state}`)}
            </Lamp>,
          ],
          [t("machines.group"), life.group ?? "–"],
          [
            t("machines.agent"),
            life.agent === null ? "–" : `${life.agent.name}${life.isBound ? ` (${t("machines.bound")})` : ""}`,
          ],
          [t("machines.return"), percentText(life.theoreticalReturn, language)],
          [t("machines.enrolled"), when(life.enrolledAt)],
          [
            t("machines.compared"),
            lastReading === null
              ? "–"
              : t("machines.comparedAt", { time: when(lastReading.at), games: lastReading.gamesPlayed }),
          ],
        ]}
      />
      {life.state === "retired" && <Note kind="wait">{t("machines.retiredAbout")}</Note>}
      {waiting && <Note kind="wait">{t("machines.ramClearWaits")}</Note>}
      {ramClears.map((clear) => (
        <RamClear key={clear.id} clear={clear} />
      ))}
      <LifeActs life={life} waiting={waiting} open={open} />
    </div>
  );
}

function RamClear({ clear }: { readonly clear: LifeNow["ramClears"][number] }) {
  const { t } = useText();
  const when = useWhen();
  const { before, after, gapFrom, gapTo, people, reason } = clear;
  return (
    <section className={css["clear"]} aria-label={t("machines.ramClear")}>
      <h3>{t(`machines.ramClear_${clear.state}`, { time: when(clear.orderedAt) })}</h3>
      <p className="fine">
        {people.map(({ name }) => name).join(", ")}: {reason}
      </p>
      <Facts
        rows={[
          [
            t("machines.gamesBefore"),
            <span key="before" className="num">
              {before.gamesPlayed}
            </span>,
          ],
          ...(after === null
            ? []
            : ([
                [
                  t("machines.gamesAfter"),
                  <span key="after" className="num">
                    {after.gamesPlayed}
                  </span>,
                ],
              ] as const)),
          ...(after === null
            ? []
            : ([[t("machines.creditAfter"), <Money key="credit" minor={after.credit} tone="ink" />]] as const)),
        ]}
      />
      {clear.state === "done" && (
        <p className="fine">{t("machines.gap", { from: when(gapFrom), to: gapTo === null ? "–" : when(gapTo) })}</p>
      )}
    </section>
  );
}

function LifeActs(props: {
  readonly life: LifeNow["life"];
  readonly waiting: boolean;
  readonly open: (act: LifeAct) => void;
}) {
  const { t } = useText();
  const may = useMay("machine.configure");
  const online = useOnline();
  const { life, waiting, open } = props;
  if (!may) return null;
  const key = (is: LifeAct["is"], kind: "line" | "danger" | "brass" = "line") => (
    <Key kind={kind} disabled={!online} onClick={() => open({ is, machine: life } as LifeAct)}>
      {t(`machines.act_${is}`)}
    </Key>
  );
  return (
    <div className={css["acts"]}>
      {life.state === "retired" ? (
        key("return", "brass")
      ) : (
        <>
          {key("move")}
          {waiting ? key("cancelRamClear") : key("ramClear")}
          {key("retire", "danger")}
        </>
      )}
    </div>
  );
}
