import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded, Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { businessDay, dateText } from "./period.ts";
import css from "./reports.module.css";
import { useFigures } from "./use-figures.ts";

/** What machines keep by their paytable sheets. Who configures machines enters one; a second person signs it. */
export function Paytables() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const { percent } = useFigures();
  const mayEnter = useMay("machine.configure");
  const online = useOnline();
  const sheets = useRead("paytables");
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title={t("reports.paytables")}
      about={t("reports.paytablesAbout")}
      tools={
        mayEnter && (
          <Key kind="line" disabled={!online} onClick={() => setOpen(true)}>
            {t("reports.enterPaytable")}
          </Key>
        )
      }
    >
      <Loaded of={sheets}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="info" title={t("reports.noPaytables")} body={t("reports.noPaytablesAbout")} />
          ) : (
            <Scroller className={css["scroller"]}>
              <table className={`${panelCss["table"]} ${css["table"]}`}>
                <thead>
                  <tr>
                    <th scope="col">{t("reports.by_machine")}</th>
                    <th scope="col">{t("reports.sheetFrom")}</th>
                    <th scope="col" data-number>
                      {t("reports.hold")}
                    </th>
                    <th scope="col" data-number>
                      {t("reports.spread")}
                    </th>
                    <th scope="col">{t("reports.enteredBy")}</th>
                    <th scope="col">{t("app.reason")}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((sheet) => (
                    <tr key={`${sheet.machine.id} ${sheet.setAt}`}>
                      <th scope="row">{sheet.machine.name}</th>
                      <td className="num">{dateText(sheet.from, language)}</td>
                      <td data-number>{percent(sheet.hold)}</td>
                      <td data-number>
                        {sheet.spread === null ? t("reports.notKnown") : (sheet.spread / 100).toFixed(2)}
                      </td>
                      <td>
                        {sheet.setBy}, {whenText(sheet.setAt, clock.now(), venue.timeZone, language)}
                      </td>
                      <td>{sheet.reason}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Loaded>
      {mayEnter && <EnterSheet open={isOpen} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

/** A number with at most two decimals, as the sheet has it, in hundredths. Undefined: it is none. */
export function hundredthsIn(text: string): number | undefined {
  if (!/^\d{1,6}([.,]\d{1,2})?$/.test(text.trim())) return undefined;
  return Math.round(Number(text.trim().replace(",", ".")) * 100);
}

function EnterSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const today = businessDay(clock.now(), venue.timeZone, venue.dayBeginsMinutes);
  const floor = useRead("floor", {}, open);
  const { busy, run } = useAct();
  const [given, setGiven] = useState({ machine: "", hold: "", spread: "", from: today, reason: "" });
  const [problem, setProblem] = useState<string>();
  const put = (part: Partial<typeof given>) => setGiven({ ...given, ...part });
  async function send(): Promise<void> {
    const hold = hundredthsIn(given.hold);
    const spread = given.spread.trim() === "" ? null : hundredthsIn(given.spread);
    const reason = given.reason.trim();
    if (given.machine === "") return setProblem(t("reports.chooseMachine"));
    if (hold === undefined || hold > 10_000) return setProblem(t("reports.holdWrong"));
    if (spread === undefined || spread === 0) return setProblem(t("reports.spreadWrong"));
    if (reason === "") return setProblem(t("reports.reasonMissing"));
    setProblem(undefined);
    const answer = await run("setPaytable", {
      params: { id: given.machine },
      fields: { hold, spread, from: given.from, reason },
      summary: {
        title: t("reports.enterPaytable"),
        lines: [
          [t("reports.by_machine"), given.machine],
          [t("reports.holdField"), given.hold],
          [t("reports.spreadField"), given.spread === "" ? t("reports.notKnown") : given.spread],
          [t("reports.sheetFrom"), given.from],
        ],
      },
      reads: ["paytables", "report", "approvals"],
      said: t("reports.entered"),
    });
    if (answer !== undefined) {
      put({ hold: "", spread: "", reason: "" });
      onClose();
    }
  }
  return (
    <FormSheet open={open} title={t("reports.enterPaytable")} onClose={onClose}>
      <label className={css["choice"]}>
        <span className={css["lead"]}>{t("reports.by_machine")}</span>
        <select value={given.machine} onChange={({ target }) => put({ machine: target.value })}>
          <option value="">{t("reports.chooseMachine")}</option>
          {floor.data?.rows.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Field
        label={t("reports.holdField")}
        placeholder="5.20"
        inputMode="decimal"
        maxLength={9}
        value={given.hold}
        onChange={({ target }) => put({ hold: target.value })}
      />
      <Field
        label={t("reports.spreadField")}
        placeholder="8.50"
        inputMode="decimal"
        maxLength={9}
        value={given.spread}
        onChange={({ target }) => put({ spread: target.value })}
      />
      <Field
        label={t("reports.sheetFrom")}
        type="date"
        max={today}
        value={given.from}
        onChange={({ target }) => put({ from: target.value })}
      />
      <ReasonField value={given.reason} onText={(reason) => put({ reason })} />
      {venue.secondPerson && <Note>{t("reports.secondSigns")}</Note>}
      <ActKeys
        send={t("reports.enterPaytable")}
        busy={busy}
        problem={problem}
        onCancel={onClose}
        onSend={() => void send()}
      />
    </FormSheet>
  );
}
