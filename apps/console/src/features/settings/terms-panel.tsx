import type { TermsTexts } from "@longarm/contract/staff-terms";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { LongText } from "../../shared/ui/long-text.tsx";
import { Empty, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./settings.module.css";

type Row = AnswerOf<"termsVersions">["rows"][number];
const LAMPS = { waits: "waiting", holds: "available", earlier: "off" } as const;
const LANGUAGES = ["tr", "en", "ar"] as const;
type Language = (typeof LANGUAGES)[number];
/** The most versions that the page lists. */
const ROWS = 100;

/** The terms of use by version: who accepted which, the text of each, and the way to add one. */
export function TermsPanel({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const online = useOnline();
  const versions = useRead("termsVersions", { query: { limit: ROWS } });
  const [open, setOpen] = useState<"add" | Row>();
  const newest = versions.data?.rows[0]?.number ?? 0;
  return (
    <Panel
      title={t("market.terms")}
      foot={t("market.termsFoot")}
      tools={
        mayChange && (
          <Key kind="line" disabled={!online || versions.data === undefined} onClick={() => setOpen("add")}>
            {t("market.termsAdd")}
          </Key>
        )
      }
    >
      <Loaded of={versions}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("market.termsNone")} body={t("market.termsNoneAbout")} />
          ) : (
            <ol className={`${css["past"]} ${css["versions"]}`}>
              {rows.map((row) => (
                <Version key={row.number} row={row} open={() => setOpen(row)} />
              ))}
            </ol>
          )
        }
      </Loaded>
      <FormSheet
        open={open !== undefined}
        title={typeof open === "object" ? t("market.termsOne", { number: open.number }) : t("market.termsAdd")}
        onClose={() => setOpen(undefined)}
      >
        {open === "add" && <AddForm newest={newest} close={() => setOpen(undefined)} />}
        {typeof open === "object" && <Texts number={open.number} />}
      </FormSheet>
    </Panel>
  );
}

function Version({ row, open }: { readonly row: Row; readonly open: () => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <li>
      <div>
        <b>{t("market.termsOne", { number: row.number })}</b>{" "}
        <Lamp status={LAMPS[row.state]}>{t(`market.terms_${row.state}`)}</Lamp>
        <p>
          {row.title} · {row.languages.join(", ").toUpperCase()}
        </p>
        <p className="fine">
          {t("market.termsFrom", { time: at(row.validFrom) })} · {t("market.termsAccepted", { count: row.accepted })}
        </p>
        <p className="fine">
          {row.reason} · {row.by}, {at(row.at)}
        </p>
      </div>
      <Key kind="bare" aria-label={`${t("market.termsRead")}: ${row.number}`} onClick={open}>
        {t("market.termsRead")}
      </Key>
    </li>
  );
}

/** A version as players read it, in each of its languages. */
function Texts({ number }: { readonly number: number }) {
  const { t } = useText();
  const version = useRead("termsVersion", { params: { number: String(number) } });
  return (
    <Loaded of={version}>
      {({ texts }) => (
        <>
          {LANGUAGES.map((language) => {
            const words = texts[language];
            if (words === undefined) return null;
            return (
              <section
                key={language}
                lang={language}
                dir={language === "ar" ? "rtl" : "ltr"}
                className={css["termsText"]}
              >
                <h3>
                  {t(`market.language_${language}`)}: {words.title}
                </h3>
                <ul>
                  {words.changes.map((change) => (
                    <li key={change}>{change}</li>
                  ))}
                </ul>
                <p>{words.body}</p>
              </section>
            );
          })}
        </>
      )}
    </Loaded>
  );
}

type Words = { readonly title: string; readonly changes: string; readonly body: string };
const NOTHING: Words = { title: "", changes: "", body: "" };

/** What was written, as the platform takes it; a language without a title and a text is left out. */
function textsOf(draft: Readonly<Record<Language, Words>>): TermsTexts {
  return Object.fromEntries(
    LANGUAGES.flatMap((language) => {
      const { title, changes, body } = draft[language];
      if (title.trim() === "" || body.trim() === "") return [];
      const lines = changes.split("\n").map((line) => line.trim());
      return [[language, { title: title.trim(), changes: lines.filter((line) => line !== ""), body: body.trim() }]];
    }),
  );
}

/** A language that is begun and not whole: nothing of it may be lost without a word. */
const isBegun = ({ title, changes, body }: Words): boolean =>
  (title + changes + body).trim() !== "" && (title.trim() === "" || body.trim() === "");

function AddForm({ newest, close }: { readonly newest: number; readonly close: () => void }) {
  const { t, language: spoken } = useText();
  const { busy, run } = useAct();
  // What is written belongs to the version that was seen.
  const [expected] = useState(newest);
  const [language, setLanguage] = useState<Language>(spoken);
  const [draft, setDraft] = useState<Record<Language, Words>>({ tr: NOTHING, en: NOTHING, ar: NOTHING });
  const [from, setFrom] = useState("");
  const [reasonText, setReason] = useState("");
  const reason = reasonOf(reasonText);
  const texts = textsOf(draft);
  const written = Object.keys(texts);
  const begun = LANGUAGES.filter((one) => isBegun(draft[one]));
  const fromMs = Date.parse(from);
  const fields = {
    expected,
    texts,
    ...(!Number.isNaN(fromMs) && { validFrom: new Date(fromMs).toISOString() }),
    reason,
  };
  const isWhole = written.length > 0 && begun.length === 0 && reason !== "";
  const put = (field: keyof Words, text: string) =>
    setDraft({ ...draft, [language]: { ...draft[language], [field]: text } });
  async function send(): Promise<void> {
    const answer = await run("addTerms", {
      fields,
      summary: {
        title: t("market.termsAdd"),
        lines: [
          [t("market.terms"), t("market.termsOne", { number: expected + 1 })],
          [t("market.termsLanguages"), written.join(", ").toUpperCase()],
          [t("app.reason"), reason],
        ],
      },
      reads: ["termsVersions"],
      said: t("market.termsSaid", { number: expected + 1 }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("market.termsAddAbout")}</p>
      <Segment
        label={t("market.termsLanguages")}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: t(`market.language_${value}`) }))}
        onChange={setLanguage}
      />
      <Field
        key={`title ${language}`}
        label={t("market.termsTitle")}
        value={draft[language].title}
        maxLength={100}
        dir="auto"
        autoComplete="off"
        onChange={({ target }) => put("title", target.value)}
      />
      <LongText
        label={t("market.termsChanges")}
        note={t("market.termsChangesNote")}
        rows={3}
        value={draft[language].changes}
        onText={(text) => put("changes", text)}
      />
      <LongText
        label={t("market.termsBody")}
        note={t("market.termsBodyNote")}
        rows={8}
        value={draft[language].body}
        onText={(text) => put("body", text)}
      />
      <Field
        label={t("market.termsValidFrom")}
        type="datetime-local"
        note={t("market.termsValidFromNote")}
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
      <ReasonField value={reasonText} onText={setReason} />
      {begun.length > 0 && (
        <p className={css["wrong"]} role="alert">
          {t("market.termsBegun", { languages: begun.join(", ").toUpperCase() })}
        </p>
      )}
      <div>
        <CheckFirst name="addTerms" params={{}} fields={fields} disabled={!isWhole} />
      </div>
      <ActKeys
        send={t("market.termsAdd")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
