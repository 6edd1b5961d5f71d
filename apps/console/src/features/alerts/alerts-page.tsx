import type { TaskTimes } from "@longarm/contract/staff-tasks";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../shared/me.ts";
import { runbookPath } from "../../shared/tasks.ts";
import { leftText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Loaded, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { DeliveriesPanel } from "./deliveries-panel.tsx";

const S = 1_000;

/** When what needs a person should be done by, and what became of the reports to the operator's webhook. */
export function AlertsPage() {
  const { t } = useText();
  const seesWebhook = useMay("settings.see");
  return (
    <Page title={t("app.alerts")}>
      {seesWebhook && <DeliveriesPanel />}
      <TimesPanel />
    </Page>
  );
}

/** Every kind of task with its target and its escalation; a person with the right to settings changes them. */
function TimesPanel() {
  const { t } = useText();
  const times = useRead("taskTimes");
  const mayChange = useMay("settings.change");
  const [chosen, choose] = useState<TaskTimes | null>(null);
  return (
    <Panel title={t("alerts.times")} about={t("alerts.timesAbout")}>
      <Loaded of={times}>
        {({ rows }) => (
          <Scroller>
            <table className={panelCss["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("alerts.kind")}</th>
                  <th scope="col" data-number>
                    {t("alerts.target")}
                  </th>
                  <th scope="col" data-number>
                    {t("alerts.escalates")}
                  </th>
                  <th scope="col">
                    <span className="visually-hidden">{t("alerts.change")}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.kind}>
                    <td>
                      <Link to={runbookPath(row.kind)}>{t(`tasks.kind_${row.kind}`)}</Link>{" "}
                      {row.changed && <Tag>{t("alerts.changed")}</Tag>}
                    </td>
                    <td data-number className="num">
                      {leftText(row.targetS * S)}
                    </td>
                    <td data-number className="num">
                      {leftText(row.escalateS * S)}
                    </td>
                    <td>
                      {mayChange && (
                        <Key
                          kind="bare"
                          aria-label={t("alerts.changeOf", { kind: t(`tasks.kind_${row.kind}`) })}
                          onClick={() => choose(row)}
                        >
                          {t("alerts.change")}
                        </Key>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
      </Loaded>
      <FormSheet
        open={chosen !== null}
        title={chosen === null ? "" : t("alerts.changeTitle", { kind: t(`tasks.kind_${chosen.kind}`) })}
        onClose={() => choose(null)}
      >
        {chosen !== null && <ChangeTimes row={chosen} onClose={() => choose(null)} />}
      </FormSheet>
    </Panel>
  );
}

/** Seconds of a text in minutes, such as "2" or "0.5"; undefined: it is none that the platform takes. */
function secondsIn(text: string, least: number): number | undefined {
  const minutes = /^\d{1,5}([.,]\d{1,2})?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : Number.NaN;
  const seconds = Math.round(minutes * 60);
  return seconds >= least && seconds <= 604_800 ? seconds : undefined;
}

const minutesOf = (seconds: number): string => String(Math.round((seconds / 60) * 100) / 100);

function ChangeTimes({ row, onClose }: { readonly row: TaskTimes; readonly onClose: () => void }) {
  const { t } = useText();
  const [target, setTarget] = useState(minutesOf(row.targetS));
  const [escalate, setEscalate] = useState(minutesOf(row.escalateS));
  const [reason, setReason] = useState("");
  const { busy, run } = useAct();
  const targetS = secondsIn(target, 10);
  const escalateS = secondsIn(escalate, 5);
  const isRight = targetS !== undefined && escalateS !== undefined && escalateS <= targetS;
  async function send(): Promise<void> {
    if (!isRight) return;
    const done = await run("setTaskTimes", {
      params: { kind: row.kind },
      fields: { targetS, escalateS, reason: reasonOf(reason) },
      summary: { title: "", lines: [] },
      reads: ["taskTimes", "tasks"],
      said: t("alerts.saved"),
    });
    if (done !== undefined) onClose();
  }
  return (
    <>
      <Field
        label={t("alerts.targetField")}
        value={target}
        inputMode="decimal"
        onChange={({ target: { value } }) => setTarget(value)}
      />
      <Field
        label={t("alerts.escalateField")}
        value={escalate}
        inputMode="decimal"
        note={isRight ? "" : t("alerts.wrong")}
        onChange={({ target: { value } }) => setEscalate(value)}
      />
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={t("alerts.save")}
        busy={busy}
        disabled={!isRight || reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={onClose}
      />
    </>
  );
}
