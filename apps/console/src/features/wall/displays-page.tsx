import type { Language } from "@longarm/contract/settings";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Note, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./displays.module.css";

type Display = AnswerOf<"displays">["rows"][number];
type Open = { readonly is: "admit" } | { readonly is: "end"; readonly display: Display };

/** Screens on walls: who admitted each, when it was last seen, and how it is ended. */
export function DisplaysPage() {
  const { t } = useText();
  const online = useOnline();
  const displays = useRead("displays");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Page title={t("app.displays")}>
      <Panel
        title={t("displays.title")}
        about={t("displays.about")}
        tools={
          <Key kind="brass" icon="plus" disabled={!online} onClick={() => setOpen({ is: "admit" })}>
            {t("displays.admit")}
          </Key>
        }
      >
        <Loaded of={displays}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty icon="machine" title={t("displays.none")} body={t("displays.noneAbout")} />
            ) : (
              <Displays rows={rows} end={(display) => setOpen({ is: "end", display })} />
            )
          }
        </Loaded>
      </Panel>
      <FormSheet open={open?.is === "admit"} title={t("displays.admit")} onClose={close}>
        <AdmitForm close={close} />
      </FormSheet>
      <FormSheet open={open?.is === "end"} title={t("displays.end")} onClose={close}>
        {open?.is === "end" && <EndForm display={open.display} close={close} />}
      </FormSheet>
    </Page>
  );
}

function Displays({ rows, end }: { readonly rows: readonly Display[]; readonly end: (display: Display) => void }) {
  const { t } = useText();
  const online = useOnline();
  const when = useWhen();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th>{t("displays.name")}</th>
            <th>{t("displays.shows")}</th>
            <th>{t("displays.admitted")}</th>
            <th>{t("displays.seen")}</th>
            <th>
              <span className="visually-hidden">{t("displays.end")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <b>{row.name}</b>
              </td>
              <td>{row.group ?? t("displays.wholeFloor")}</td>
              <td>
                <span className="num">{when(row.madeAt)}</span> <span className="soft">{row.madeBy.name}</span>
              </td>
              <td>
                {row.seenAt === null ? (
                  <span className="soft">{t("displays.neverSeen")}</span>
                ) : (
                  <>
                    <span className="num">{when(row.seenAt)}</span> <code className="ltr soft">{row.seenFrom}</code>
                  </>
                )}
              </td>
              <td data-number>
                {row.endedAt === null ? (
                  <Key kind="bare" disabled={!online} onClick={() => end(row)}>
                    {t("displays.end")}
                  </Key>
                ) : (
                  <Tag>{t("displays.ended")}</Tag>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ["tr", "Türkçe"],
  ["en", "English"],
  ["ar", "العربية"],
];

function AdmitForm({ close }: { readonly close: () => void }) {
  const { t, language: own } = useText();
  const { busy, run } = useAct();
  const floor = useRead("floor");
  const [name, setName] = useState("");
  const [group, setGroup] = useState("");
  const [language, setLanguage] = useState<Language>(own);
  const [reason, setReason] = useState("");
  const [token, setToken] = useState<string>();
  const groups = [...new Set(floor.data?.rows.flatMap((row) => (row.group === null ? [] : [row.group])))];
  async function send(): Promise<void> {
    const answer = await run("admitDisplay", {
      fields: { name: name.trim(), group: group === "" ? null : group, reason: reasonOf(reason) },
      summary: { title: t("displays.admit"), lines: [[t("displays.name"), name.trim()]] },
      reads: ["displays"],
    });
    if (answer?.is === "done") setToken(answer.result.token);
  }
  if (token !== undefined)
    return <Address address={`${location.origin}${paths.wall}?language=${language}#${token}`} close={close} />;
  return (
    <>
      <Field
        label={t("displays.name")}
        note={t("displays.nameNote")}
        value={name}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <label className={css["choice"]}>
        {t("displays.shows")}
        <select value={group} onChange={({ target }) => setGroup(target.value)}>
          <option value="">{t("displays.wholeFloor")}</option>
          {groups.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Segment<Language>
        label={t("app.language")}
        value={language}
        onChange={setLanguage}
        options={LANGUAGES.map(([value, label]) => ({ value, label, lang: value }))}
      />
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={t("displays.admit")}
        busy={busy}
        disabled={name.trim() === "" || reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

/** The address that the screen opens, which is shown once. */
function Address({ address, close }: { readonly address: string; readonly close: () => void }) {
  const { t } = useText();
  const { messages } = useConsole();
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => messages.say("good", t("app.copied")),
      () => messages.say("bad", t("app.notCopied")),
    );
  return (
    <>
      <Note kind="wait">{t("displays.once")}</Note>
      <code className={`ltr ${css["address"]}`}>{address}</code>
      <p className="soft">{t("displays.howTo")}</p>
      <div className={css["keys"]}>
        <Key kind="line" onClick={() => void copy()}>
          {t("app.copy")}
        </Key>
        <Key kind="brass" onClick={close}>
          {t("app.done")}
        </Key>
      </div>
    </>
  );
}

function EndForm({ display, close }: { readonly display: Display; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [reason, setReason] = useState("");
  async function send(): Promise<void> {
    const answer = await run("endDisplay", {
      params: { id: display.id },
      fields: { reason: reasonOf(reason) },
      summary: { title: t("displays.end"), lines: [[t("displays.name"), display.name]] },
      reads: ["displays"],
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("displays.endAbout", { name: display.name })}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={t("displays.end")}
        danger
        busy={busy}
        disabled={reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
