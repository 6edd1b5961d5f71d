import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./audit.module.css";

type Entry = AnswerOf<"audit">["rows"][number];
type Proof = Extract<AnswerOf<"proveAudit">, { is: "done" }>["result"];

/** The audit log, newest first, one entry with what it changed, and the proof that nothing was taken out or rewritten. */
export function AuditPage() {
  const { t } = useText();
  const [filter, setFilter] = useState({ type: "", actor: "", subject: "" });
  const [after, setAfter] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<Entry>();
  const entries = useRead("audit", { query: { ...filled(filter), ...(after.at(-1) && { after: after.at(-1) }) } });
  const change = (part: Partial<typeof filter>) => {
    setFilter({ ...filter, ...part });
    setAfter([]);
  };
  return (
    <Page title={t("app.audit")} about={t("audit.about")}>
      <Chain />
      <div className={css["tools"]}>
        {(["actor", "type", "subject"] as const).map((part) => (
          <Field
            key={part}
            label={t(`audit.${part}`)}
            placeholder={t(`audit.${part}Example`)}
            value={filter[part]}
            maxLength={part === "type" ? 64 : 200}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => change({ [part]: target.value.trim() })}
          />
        ))}
      </div>
      <div className={css["columns"]}>
        <Panel
          title={t("audit.entries")}
          tools={
            <>
              <Key kind="bare" disabled={after.length === 0} onClick={() => setAfter(after.slice(0, -1))}>
                {t("audit.newer")}
              </Key>
              <Key
                kind="bare"
                disabled={!entries.data?.next}
                onClick={() => entries.data?.next && setAfter([...after, entries.data.next])}
              >
                {t("audit.older")}
              </Key>
            </>
          }
        >
          <Loaded of={entries}>
            {({ rows }) =>
              rows.length === 0 ? (
                <Empty icon="search" title={t("audit.none")} body={t("audit.noneAbout")} />
              ) : (
                <Entries rows={rows} chosen={chosen} choose={setChosen} />
              )
            }
          </Loaded>
        </Panel>
        {chosen !== undefined && <OneEntry entry={chosen} more={change} />}
      </div>
    </Page>
  );
}

const filled = (filter: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== ""));

function Entries(props: {
  readonly rows: readonly Entry[];
  readonly chosen: Entry | undefined;
  readonly choose: (entry: Entry) => void;
}) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col" data-number>
              {t("audit.position")}
            </th>
            <th scope="col">{t("audit.when")}</th>
            <th scope="col">{t("audit.type")}</th>
            <th scope="col">{t("audit.actor")}</th>
            <th scope="col">{t("audit.subject")}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((entry) => (
            <tr key={entry.position} data-chosen={entry.position === props.chosen?.position || undefined}>
              <td data-number>
                <button type="button" className={css["position"]} onClick={() => props.choose(entry)}>
                  {entry.position}
                </button>
              </td>
              <td className="num">{whenText(entry.at, clock.now(), venue.timeZone, language)}</td>
              <td>
                <code className="ltr">{entry.type}</code>
              </td>
              <td className="ltr">{entry.actor}</td>
              <td className="ltr soft">{entry.subject}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function OneEntry({ entry, more }: { readonly entry: Entry; readonly more: (part: { subject: string }) => void }) {
  const { t } = useText();
  const { before, after, facts, subject } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Panel title={t("audit.entry", { position: entry.position })}>
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            [
              t("audit.when"),
              <span key="at" className="ltr num">
                {entry.at}
              </span>,
            ],
            [t("audit.type"), <code key="type">{entry.type}</code>],
            [
              t("audit.actor"),
              <span key="actor" className="ltr">
                {entry.actor}
              </span>,
            ],
            [
              t("audit.subject"),
              <span key="subject" className="ltr">
                {subject ?? "–"}
              </span>,
            ],
            [
              t("audit.address"),
              <span key="address" className="ltr">
                {entry.address ?? "–"}
              </span>,
            ],
            [
              t("audit.source"),
              <span key="source" className="ltr">
                {entry.source}
              </span>,
            ],
          ]}
        />
        {names.length > 0 && (
          <table className={css["changes"]}>
            <thead>
              <tr>
                <th scope="col">{t("audit.field")}</th>
                <th scope="col">{t("audit.before")}</th>
                <th scope="col">{t("audit.after")}</th>
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <Change key={name} name={name} before={before?.[name]} after={after?.[name]} />
              ))}
            </tbody>
          </table>
        )}
        {Object.keys(facts).length > 0 && (
          <Facts rows={Object.entries(facts).map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
        )}
        {subject !== null && (
          <Key kind="line" onClick={() => more({ subject })}>
            {t("audit.sameSubject")}
          </Key>
        )}
      </div>
    </Panel>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "–"));

function Change({ name, before, after }: { readonly name: string; readonly before: unknown; readonly after: unknown }) {
  const [was, is] = [textOf(before), textOf(after)];
  const isSame = was === is;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <code>{isSame ? was : <del>{was}</del>}</code>
      </td>
      <td>
        <code>{isSame ? is : <ins>{is}</ins>}</code>
      </td>
    </tr>
  );
}

/** Whether each entry is linked to the one before as it was written; the newest link may be written down elsewhere. */
function Chain() {
  const { t, language } = useText();
  const { clock, messages } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const { busy, run } = useAct();
  const [proof, setProof] = useState<Proof>();
  async function prove(): Promise<void> {
    const answer = await run("proveAudit", {
      fields: {},
      summary: { title: t("audit.prove"), lines: [] },
      reads: ["audit"],
    });
    if (answer?.is === "done") setProof(answer.result);
  }
  const copy = (witness: NonNullable<Proof["witness"]>) =>
    navigator.clipboard.writeText(`${witness.position} ${witness.hash}`).then(
      () => messages.say("good", t("app.copied")),
      () => messages.say("bad", t("app.notCopied")),
    );
  return (
    <Panel
      title={t("audit.chain")}
      tools={
        <Key kind="brass" busy={busy} disabled={!online} onClick={() => void prove()}>
          {t("audit.prove")}
        </Key>
      }
    >
      <div className={panelCss["body"]}>
        {proof === undefined ? (
          <p className="soft">{t("audit.proveAbout")}</p>
        ) : (
          <>
            <Lamp status={proof.whole ? "available" : "fault"}>
              {t(proof.whole ? "audit.whole" : "audit.broken", {
                links: proof.links,
                time: whenText(proof.checkedAt, clock.now(), venue.timeZone, language),
              })}
            </Lamp>
            {proof.breaches.map((breach) => (
              <Note key={`${breach.is} ${breach.position}`} kind="bad">
                {breach.sentence}
              </Note>
            ))}
            {proof.witness !== null && (
              <div className={css["witness"]}>
                <span className="soft">{t("audit.witness")}</span>
                <code className="ltr">
                  {proof.witness.position} {proof.witness.hash}
                </code>
                <Key kind="line" onClick={() => proof.witness && void copy(proof.witness)}>
                  <ConsoleIcon name="copy" />
                  {t("app.copy")}
                </Key>
              </div>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}
