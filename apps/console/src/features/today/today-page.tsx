import type { Pulse, Task } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import type { TextKey } from "../../shared/texts.ts";
import { leftText, whenText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Face, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./today.module.css";

type Whose = "all" | "mine" | "free";
const GROUPS: readonly (readonly [Task["group"], LampStatus])[] = [
  ["now", "fault"],
  ["hour", "waiting"],
  ["shift", "off"],
];

/** What needs a person now, and whether the floor is well. */
export function TodayPage() {
  const { t } = useText();
  const tasks = useRead("tasks");
  return (
    <Page title={t("app.today")} about={tasks.data && t("today.count", { count: tasks.data.rows.length })}>
      <div className={css["columns"]}>
        <Queue tasks={tasks} />
        <FloorPulse />
      </div>
    </Page>
  );
}

function Queue({ tasks }: { readonly tasks: ReturnType<typeof useRead<"tasks">> }) {
  const { t } = useText();
  const { person } = useMe();
  const [whose, setWhose] = useState<Whose>("all");
  const isShown = ({ owner }: Task) => whose === "all" || (whose === "mine" ? owner?.id === person.id : owner === null);
  return (
    <Panel
      title={t("today.queue")}
      tools={
        <Segment<Whose>
          label={t("today.whose")}
          value={whose}
          onChange={setWhose}
          options={[
            { value: "all", label: t("today.all") },
            { value: "mine", label: t("today.mine") },
            { value: "free", label: t("today.unassigned") },
          ]}
        />
      }
    >
      <Loaded of={tasks}>
        {({ rows }) => {
          const shown = rows.filter(isShown);
          if (shown.length === 0)
            return (
              <Empty
                title={t(rows.length === 0 ? "today.nothing" : "today.nothingOfThese")}
                body={t("today.nothingAbout")}
              />
            );
          return GROUPS.map(([group, lamp]) => {
            const inGroup = shown.filter((task) => task.group === group);
            if (inGroup.length === 0) return null;
            return (
              <section key={group} aria-label={t(`today.group_${group}`)}>
                <h3 className={css["group"]}>
                  <Lamp status={lamp}>{t(`today.group_${group}`)}</Lamp> <span className="num">{inGroup.length}</span>
                </h3>
                <ul>
                  {inGroup.map((task) => (
                    <TaskRow key={task.id} task={task} />
                  ))}
                </ul>
              </section>
            );
          });
        }}
      </Loaded>
    </Panel>
  );
}

/** Where the next step of a task is done. */
function placeOf({ kind, subject, machine }: Task): string {
  if (kind === "approval") return `${paths.approvals}/${subject.split(":")[1] ?? ""}`;
  if (kind === "handPay" || kind === "unknownTransfer" || kind === "discrepancy") return paths.money;
  if (machine !== null) return `${paths.floor}/${machine.id}`;
  return paths.floor;
}

function TaskRow({ task }: { readonly task: Task }) {
  const { t } = useText();
  const { clock, timers } = useConsole();
  const now = useNow(clock, timers, 1_000);
  const age = now - Date.parse(task.since);
  const target = Date.parse(task.target) - Date.parse(task.since);
  const isOver = age > target;
  const { kind, machine, player, amount, facts } = task;
  const second = [player?.username, typeof facts["name"] === "string" ? facts["name"] : undefined, facts["by"]]
    .filter((part) => part !== undefined)
    .join(", ");
  return (
    <li className={css["row"]} data-over={isOver || undefined}>
      <span className={css["what"]}>
        <b>
          {t(`today.kind_${kind}` as TextKey, { lockup: String(facts["lockup"] ?? "") })}
          {machine !== null && ` · ${machine.name}`}
        </b>
        <small>
          {second}
          {task.escalated && ` · ${t("today.escalated")}`}
        </small>
      </span>
      <span className={css["amount"]}>{amount !== null && <Money minor={amount} tone="ink" />}</span>
      <span className={css["age"]}>
        <b className="num">{leftText(age)}</b>
        <progress max={100} value={Math.min(100, (age / Math.max(1, target)) * 100)} aria-label={t("today.target")} />
        <small className="num">{t(isOver ? "today.over" : "today.of", { time: leftText(target) })}</small>
      </span>
      <Owner task={task} />
      <Link to={placeOf(task)} className={css["step"]}>
        {t(task.mayAct ? "today.open" : "today.look")}
      </Link>
    </li>
  );
}

function Owner({ task }: { readonly task: Task }) {
  const { t } = useText();
  const { person } = useMe();
  const online = useOnline();
  const mayTake = useMay("task.take");
  const { busy, run } = useAct();
  const isMine = task.owner?.id === person.id;
  const act = (name: "claimTask" | "releaseTask") =>
    void run(name, { params: { id: task.id }, fields: {}, summary: { title: "", lines: [] }, reads: ["tasks"] });
  if (task.owner !== null && !isMine)
    return (
      <span className={panelCss["who"]}>
        <Face name={task.owner.name} />
        {task.owner.name}
      </span>
    );
  if (!mayTake) return <span className="soft">{t("today.unassigned")}</span>;
  return isMine ? (
    <Key kind="bare" busy={busy} disabled={!online} onClick={() => act("releaseTask")}>
      {t("today.giveBack")}
    </Key>
  ) : (
    <Key kind="line" icon="plus" busy={busy} disabled={!online} onClick={() => act("claimTask")}>
      {t("today.take")}
    </Key>
  );
}

function FloorPulse() {
  const { t } = useText();
  const pulse = useRead("pulse");
  return (
    <div className={css["side"]}>
      <Panel title={t("today.floor")}>
        <Loaded of={pulse}>{(now) => <Figures pulse={now} />}</Loaded>
      </Panel>
      <Panel title={t("today.money")}>
        <Loaded of={pulse}>{(now) => <Equation equation={now.equation} />}</Loaded>
      </Panel>
      <Panel title={t("today.onShift")}>
        <Loaded of={pulse}>
          {({ onShift }) => (
            <ul className={css["shift"]}>
              {onShift.map(({ person, tasks }) => (
                <li key={person.id} className={panelCss["who"]}>
                  <Face name={person.name} />
                  {person.name} {tasks > 0 && <b className="num">{tasks}</b>}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function Figures({ pulse }: { readonly pulse: Pulse }) {
  const { t } = useText();
  const { seated, machines, watching, gamesPerMinute } = pulse;
  const last = gamesPerMinute.at(-1) ?? 0;
  const most = Math.max(1, ...gamesPerMinute);
  const points = gamesPerMinute.map((games, minute) => `${minute * 2},${30 - (games / most) * 28}`).join(" ");
  return (
    <>
      <dl className={css["figures"]}>
        <div>
          <dd className="num">
            {seated}
            <small> / {machines}</small>
          </dd>
          <dt>{t("today.seated")}</dt>
        </div>
        <div>
          <dd className="num">{watching}</dd>
          <dt>{t("today.watching")}</dt>
        </div>
        <div>
          <dd className="num">{last}</dd>
          <dt>{t("today.games")}</dt>
        </div>
      </dl>
      <svg
        className={css["spark"]}
        viewBox="0 0 118 32"
        preserveAspectRatio="none"
        role="img"
        aria-label={t("today.gamesHour", { most, last })}
      >
        <polyline points={points} />
      </svg>
    </>
  );
}

const TERMS = ["homeToWallets", "onMachines", "owed", "inSuspense"] as const;

/** The day's money as one sum, with the time at which it was last proved. */
function Equation({ equation }: { readonly equation: Pulse["equation"] }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const { provedAt, holds } = equation;
  return (
    <div className={panelCss["body"]}>
      <dl className={css["equation"]}>
        <dt>{t("today.ontoMachines")}</dt>
        <dd>
          <Money minor={equation.ontoMachines} tone="ink" />
        </dd>
        {TERMS.map((term) => (
          <div key={term}>
            <dt>− {t(`today.${term}`)}</dt>
            <dd>
              <Money minor={equation[term]} tone="ink" />
            </dd>
          </div>
        ))}
        <dt>= {t("today.platformKeeps")}</dt>
        <dd>
          <Money minor={equation.platformKeeps} />
        </dd>
      </dl>
      {provedAt !== null && (
        <Lamp status={holds === false ? "fault" : "available"}>
          {t(holds === false ? "today.doesNotAddUp" : "today.addsUp", {
            time: whenText(provedAt, clock.now(), venue.timeZone, language),
          })}
        </Lamp>
      )}
    </div>
  );
}
