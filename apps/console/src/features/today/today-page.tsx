import type { Task } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useRef, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { byUrgency, GROUPS, lookOf, runbookPath } from "../../shared/tasks.ts";
import { leftText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import { FloorPulse } from "./floor-pulse.tsx";
import { TaskRow } from "./task-row.tsx";
import css from "./today.module.css";

type Whose = "all" | "mine" | "free";

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
  const { clock, timers } = useConsole();
  const { person } = useMe();
  const [whose, setWhose] = useState<Whose>("all");
  const now = useNow(clock, timers, 1_000);
  const rows = (tasks.data?.rows ?? []).toSorted(byUrgency);
  const isOf = (which: Whose, { owner }: Task) =>
    which === "all" || (which === "mine" ? owner?.id === person.id : owner === null);
  const countOf = (which: Whose) => rows.filter((task) => isOf(which, task)).length;
  const oldest = Math.min(...rows.map(({ since }) => Date.parse(since)));
  const named = (which: Whose, word: string) => ({ value: which, label: `${word} ${countOf(which)}` });
  return (
    <Panel
      title={t("today.queue")}
      about={rows.length > 0 && <span className="num">{t("today.oldest", { time: leftText(now - oldest) })}</span>}
      tools={
        <Segment<Whose>
          label={t("today.whose")}
          value={whose}
          onChange={setWhose}
          options={[named("all", t("today.all")), named("mine", t("today.mine")), named("free", t("today.unassigned"))]}
        />
      }
      foot={rows.length > 0 && <KeyNames />}
    >
      <Loaded of={tasks}>
        {() => {
          const shown = rows.filter((task) => isOf(whose, task));
          return shown.length === 0 ? (
            <Empty
              title={t(rows.length === 0 ? "today.nothing" : "today.nothingOfThese")}
              body={t("today.nothingAbout")}
            />
          ) : (
            <Groups tasks={shown} now={now} />
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** The tasks in their groups; J and K move between the rows, and letters act on the one that has the focus. */
function Groups({ tasks, now }: { readonly tasks: readonly Task[]; readonly now: number }) {
  const { t } = useText();
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  const { run } = useAct();
  const { person } = useMe();
  // The one primary action: the most urgent task that this person has or could take.
  const first = tasks.find(({ owner }) => owner === null || owner.id === person.id);

  function onKey(event: KeyboardEvent): void {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-task]") ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const task = tasks.find(({ id }) => id === rows[at]?.dataset["task"]);
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") rows[at + (event.key === "j" ? 1 : -1)]?.focus();
    else if (task === undefined) return;
    else if (event.key === "t")
      void run("claimTask", {
        params: { id: task.id },
        fields: {},
        summary: { title: "", lines: [] },
        reads: ["tasks", "notices"],
      });
    else if (event.key === "n") void navigate({ to: lookOf(task.kind).place(task) });
    else if (event.key === "?") void navigate({ to: runbookPath(task.kind) });
    else return;
    event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: letters are shortcuts of the rows, which have the focus.
    <div ref={list} onKeyDown={onKey}>
      {GROUPS.map(([group, lamp]) => {
        const inGroup = tasks.filter((task) => task.group === group);
        if (inGroup.length === 0) return null;
        return (
          <section key={group} aria-label={t(`tasks.group_${group}`)}>
            <h3 className={css["group"]}>
              <Lamp status={lamp}>{t(`tasks.group_${group}`)}</Lamp> <span className="num">{inGroup.length}</span>
              <span className={css["rule"]}>{t(`tasks.rule_${group}`)}</span>
            </h3>
            <ul>
              {inGroup.map((task) => (
                <TaskRow key={task.id} task={task} now={now} urgent={task === first && group === "now"} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

function KeyNames() {
  const { t } = useText();
  const names = [
    ["J", "K", "today.key_move"],
    ["T", "today.key_take"],
    ["N", "today.key_open"],
    ["?", "today.key_help"],
  ] as const;
  return (
    <p className={css["keys"]}>
      {names.map((parts) => {
        const word = parts.at(-1) as (typeof names)[number][1] & `today.${string}`;
        return (
          <span key={word}>
            {parts.slice(0, -1).map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
            {t(word)}
          </span>
        );
      })}
    </p>
  );
}
