import type { Task } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { useMe } from "../../shared/me.ts";
import { titleOf } from "../../shared/tasks.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Face, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./today.module.css";

export type SheetKind = "assign" | "escalate" | "settle";
type SheetOf = { readonly task: Task; readonly onClose: () => void };

/** What a person fills in before a task goes to somebody else, to the role above, or is settled. */
export function TaskSheet({ task, kind, onClose }: SheetOf & { readonly kind: SheetKind | null }) {
  const { t } = useText();
  const title = kind === null ? "" : `${t(`today.${kind}Title`)}: ${titleOf(t, task)}`;
  return (
    <FormSheet open={kind !== null} title={title} onClose={onClose}>
      {kind === "assign" && <Assign task={task} onClose={onClose} />}
      {kind === "escalate" && <Reasoned task={task} onClose={onClose} act="escalateTask" word="escalate" />}
      {kind === "settle" && <Reasoned task={task} onClose={onClose} act="closeTask" word="settle" />}
    </FormSheet>
  );
}

function Reasoned({
  task,
  onClose,
  act,
  word,
}: SheetOf & { readonly act: "escalateTask" | "closeTask"; readonly word: "escalate" | "settle" }) {
  const { t } = useText();
  const [reason, setReason] = useState("");
  const { busy, run } = useAct();
  async function send(): Promise<void> {
    const done = await run(act, {
      params: { id: task.id },
      fields: { reason: reasonOf(reason) },
      summary: { title: "", lines: [] },
      reads: ["tasks", "notices"],
    });
    if (done !== undefined) onClose();
  }
  return (
    <>
      <p className="soft">{t(`today.${word}About`)}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={t(`today.${word}Send`)}
        busy={busy}
        disabled={reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={onClose}
      />
    </>
  );
}

function Assign({ task, onClose }: SheetOf) {
  const { t } = useText();
  const { person } = useMe();
  const pulse = useRead("pulse");
  const [to, setTo] = useState<string>();
  const { busy, run } = useAct();
  const others = (pulse.data?.onShift ?? []).filter((one) => one.person.id !== person.id);
  async function send(): Promise<void> {
    if (to === undefined) return;
    const done = await run("assignTask", {
      params: { id: task.id },
      fields: { person: to },
      summary: { title: "", lines: [] },
      reads: ["tasks", "notices", "pulse"],
    });
    if (done !== undefined) onClose();
  }
  return (
    <>
      <p className="soft">{t("today.assignAbout")}</p>
      <fieldset className={css["people"]}>
        <legend className="visually-hidden">{t("today.who")}</legend>
        {others.length === 0 && <p>{t("today.noColleague")}</p>}
        {others.map((one) => (
          <label key={one.person.id} className={panelCss["who"]}>
            <input type="radio" name="person" checked={to === one.person.id} onChange={() => setTo(one.person.id)} />
            <Face name={one.person.name} />
            {one.person.name} {one.tasks > 0 && <b className="num">{one.tasks}</b>}
          </label>
        ))}
      </fieldset>
      <ActKeys
        send={t("today.assignSend")}
        busy={busy}
        disabled={to === undefined}
        onSend={() => void send()}
        onCancel={onClose}
      />
    </>
  );
}
