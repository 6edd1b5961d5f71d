import { Popover } from "@base-ui/react/popover";
import type { Task } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { roleText } from "../../shared/problem-text.ts";
import { aboutOf, lookOf, runbookPath, titleOf } from "../../shared/tasks.ts";
import { leftText, whenText } from "../../shared/times.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Face, panelCss, Tag } from "../../shared/ui/panel.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import type { SheetKind } from "./task-sheets.tsx";
import { TaskSheet } from "./task-sheets.tsx";
import css from "./today.module.css";

/** One task: what it is, since when, whose it is, and the next step. `urgent`: its next step is the one primary action of the page. */
export function TaskRow({
  task,
  now,
  urgent,
}: {
  readonly task: Task;
  readonly now: number;
  readonly urgent: boolean;
}) {
  const { t } = useText();
  const [sheet, setSheet] = useState<SheetKind | null>(null);
  const age = now - Date.parse(task.since);
  const target = Date.parse(task.target) - Date.parse(task.since);
  const isOver = age > target;
  const { icon, step, place } = lookOf(task.kind);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a row is where letters act (J K T N ?), as the panel's foot says.
    <li className={css["row"]} data-over={isOver || undefined} data-group={task.group} data-task={task.id} tabIndex={0}>
      <span className={css["kind"]}>
        <ConsoleIcon name={icon} />
      </span>
      <div className={css["what"]}>
        <b>{titleOf(t, task)}</b>
        <small>{aboutOf(t, task)}</small>
        <Escalation task={task} now={now} />
      </div>
      <span className={css["amount"]}>
        {task.amount !== null && <Money minor={task.amount} {...(!urgent && { tone: "ink" as const })} />}
      </span>
      <span className={css["age"]}>
        <b className="num">{leftText(age)}</b>
        <progress max={100} value={Math.min(100, (age / Math.max(1, target)) * 100)} aria-label={t("today.target")} />
        <small className="num">{t(isOver ? "today.over" : "today.of", { time: leftText(target) })}</small>
      </span>
      <Owner task={task} />
      <span className={css["steps"]}>
        <Link to={place(task)} className={keyClass({ kind: urgent && task.mayAct ? "brass" : "line" }, css["step"])}>
          {t(task.mayAct ? step : "tasks.step_look")}
        </Link>
        <More task={task} onSheet={setSheet} />
      </span>
      <TaskSheet task={task} kind={sheet} onClose={() => setSheet(null)} />
    </li>
  );
}

/** From when on a row says that it goes up by itself, ms before. */
const SOON_MS = 300_000;

/** Whose it is after an escalation, and when it goes up by itself while it is unassigned. */
function Escalation({ task, now }: { readonly task: Task; readonly now: number }) {
  const speech = useText();
  const { t, language } = speech;
  const { clock } = useConsole();
  const { venue } = useMe();
  const { escalatesAt, snoozedUntil } = task;
  const left = escalatesAt === null ? null : Date.parse(escalatesAt) - now;
  return (
    <small className={css["ladder"]}>
      {task.escalated && <Tag kind="wait">{t("today.escalatedTo", { role: roleText(speech, task.role) })}</Tag>}
      {left !== null && left > 0 && left < SOON_MS && task.owner === null && (
        <span className="num">{t("today.escalatesIn", { time: leftText(left) })}</span>
      )}
      {snoozedUntil !== null && (
        <span className="num">
          {t("today.snoozedUntil", { time: whenText(snoozedUntil, clock.now(), venue.timeZone, language) })}
        </span>
      )}
    </small>
  );
}

/** An act on a task without any words, as the buttons and menus of its row do it. */
function useTaskAct(task: Task) {
  const { busy, run } = useAct();
  const act = (name: "claimTask" | "releaseTask" | "snoozeTask") =>
    void run(name, {
      params: { id: task.id },
      fields: {},
      summary: { title: "", lines: [] },
      reads: ["tasks", "notices"],
    });
  return { busy, act };
}

function Owner({ task }: { readonly task: Task }) {
  const { t } = useText();
  const { person } = useMe();
  const online = useOnline();
  const mayTake = useMay("task.take");
  const { busy, act } = useTaskAct(task);
  if (task.owner !== null)
    return (
      <span className={`${panelCss["who"]} ${css["owner"]}`}>
        <Face name={task.owner.name} />
        {task.owner.id === person.id ? t("today.forYou") : task.owner.name}
      </span>
    );
  if (!mayTake) return <span className={`soft ${css["owner"]}`}>{t("today.unassigned")}</span>;
  return (
    <span className={css["owner"]}>
      <Key kind="bare" icon="plus" busy={busy} disabled={!online} onClick={() => act("claimTask")}>
        {t("tasks.take")}
      </Key>
    </span>
  );
}

/** What else may be done with a task. */
function More({ task, onSheet }: { readonly task: Task; readonly onSheet: (kind: SheetKind) => void }) {
  const { t } = useText();
  const { person } = useMe();
  const mayTake = useMay("task.take");
  const online = useOnline();
  const [open, setOpen] = useState(false);
  const { act } = useTaskAct(task);
  const line = (word: string, onClick: () => void) => (
    <button
      key={word}
      type="button"
      className={css["line"]}
      disabled={!online}
      onClick={() => {
        setOpen(false);
        onClick();
      }}
    >
      {word}
    </button>
  );
  const isMine = task.owner?.id === person.id;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={css["more"]} aria-label={t("today.more", { task: titleOf(t, task) })}>
        <ConsoleIcon name="more" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["place"]} side="bottom" align="end" sideOffset={4}>
          <Popover.Popup className={css["menu"]} aria-label={titleOf(t, task)}>
            <Link to={runbookPath(task.kind)} className={css["line"]}>
              {t("tasks.runbook")}
            </Link>
            {mayTake && isMine && line(t("today.giveBack"), () => act("releaseTask"))}
            {mayTake && !isMine && task.owner !== null && line(t("tasks.take_it"), () => act("claimTask"))}
            {mayTake && line(t("today.assign"), () => onSheet("assign"))}
            {mayTake && task.escalatesAt !== null && line(t("today.escalate"), () => onSheet("escalate"))}
            {mayTake &&
              task.group !== "now" &&
              task.snoozedUntil === null &&
              line(t("today.snooze"), () => act("snoozeTask"))}
            {task.ends === "person" && task.mayAct && line(t("today.settle"), () => onSheet("settle"))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
