import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useOnline } from "../../shared/me.ts";
import { runbookPath } from "../../shared/tasks.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Loaded, Note, Part, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./alerts.module.css";

type Whole = AnswerOf<"delivery">;

export const DELIVERY_LAMPS = {
  waiting: "waiting",
  done: "available",
  dead: "fault",
  dropped: "off",
} as const satisfies Record<Whole["state"], string>;
const READS = ["deliveries", "delivery", "tasks"] as const;

/** One delivery: where it goes, what is sent, what came of each try, and what a person may do about it. */
export function DeliverySheet(props: {
  readonly id: string | null;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const { id } = props;
  const delivery = useRead("delivery", { params: { id: id ?? "" } }, id !== null);
  const [dropping, drop] = useState<string | null>(null);
  const isDropping = id !== null && dropping === id;
  return (
    <FormSheet
      open={id !== null}
      title={isDropping ? t("alerts.dropTitle") : (delivery.data?.type ?? t("alerts.fact"))}
      onClose={props.onClose}
    >
      {isDropping ? (
        <Drop id={id} onDone={props.onClose} onCancel={() => drop(null)} />
      ) : (
        <Loaded of={delivery}>
          {(one) => <One one={one} mayChange={props.mayChange} drop={() => drop(one.id)} onClose={props.onClose} />}
        </Loaded>
      )}
    </FormSheet>
  );
}

type OneProps = {
  readonly one: Whole;
  readonly mayChange: boolean;
  readonly drop: () => void;
  readonly onClose: () => void;
};

function One({ one, mayChange, drop, onClose }: OneProps) {
  const { t } = useText();
  const online = useOnline();
  const { busy, run } = useAct();
  const when = useWhen();
  const isDead = one.state === "dead";
  const advice = one.state === "waiting" || isDead ? adviceOf(one) : null;
  async function resend(): Promise<void> {
    const done = await run("resendDelivery", {
      params: { id: one.id },
      fields: {},
      summary: { title: "", lines: [] },
      reads: READS,
      said: t("alerts.resent"),
    });
    if (done !== undefined) onClose();
  }
  return (
    <>
      <Facts
        rows={[
          [
            t("alerts.state"),
            <span key="state" className={css["state"]}>
              <Lamp status={DELIVERY_LAMPS[one.state]}>{t(`alerts.state_${one.state}`)}</Lamp>
              {one.endedAt !== null && <small className="fine">{t("alerts.since", { time: when(one.endedAt) })}</small>}
            </span>,
          ],
          [
            t("alerts.receiver"),
            one.endpoint === null ? (
              t("alerts.noReceiver")
            ) : (
              <code key="to" className="ltr">
                {one.endpoint}
              </code>
            ),
          ],
          [
            t("alerts.about"),
            <span key="about" className="ltr">
              {one.subject}
            </span>,
          ],
          [t("alerts.made"), when(one.madeAt)],
          ...(one.dueAt === null ? [] : ([[t("alerts.nextTry"), when(one.dueAt)]] as const)),
          [
            t("alerts.number"),
            <span key="number" className="ltr num">
              {one.seq}
            </span>,
          ],
          [
            t("alerts.id"),
            <code key="id" className="ltr">
              {one.fact}
            </code>,
          ],
        ]}
      />
      {advice !== null && (
        <Note kind={isDead ? "bad" : "wait"}>
          <p>{t(`alerts.advice_${advice}`)}</p>
          <Link to={runbookPath("delivery")}>{t("alerts.runbook")}</Link>
        </Note>
      )}
      {isDead && one.overtakenBy > 0 && <Note>{t("alerts.overtaken", { count: one.overtakenBy })}</Note>}
      <Tries failures={one.failures} when={when} />
      {one.data !== null && (
        <Part title={t("alerts.body")}>
          <Scroller className={css["sent"]}>
            <pre dir="ltr">{one.data}</pre>
          </Scroller>
        </Part>
      )}
      <div className={css["keys"]}>
        <Key kind="bare" onClick={onClose}>
          {t("app.close")}
        </Key>
        {isDead && mayChange && (
          <>
            <Key kind="line" disabled={!online} onClick={drop}>
              {t("alerts.drop")}
            </Key>
            <Key kind="brass" busy={busy} disabled={!online} onClick={() => void resend()}>
              {t("alerts.resend")}
            </Key>
          </>
        )}
      </div>
    </>
  );
}

function Tries(props: { readonly failures: Whole["failures"]; readonly when: (at: string) => string }) {
  const { t } = useText();
  const { failures, when } = props;
  return (
    <Part title={t("alerts.tries")}>
      {failures.length === 0 ? (
        <p className="soft">{t("alerts.triesNone")}</p>
      ) : (
        <Scroller className={css["past"]}>
          <ol className={css["tries"]}>
            {failures.map(({ at, answer }) => (
              <li key={at}>
                <span className="num">{when(at)}</span>
                {answer === null ? (
                  <span className="soft">{t("alerts.sentAgain")}</span>
                ) : (
                  <span className="ltr">{answer}</span>
                )}
              </li>
            ))}
          </ol>
        </Scroller>
      )}
    </Part>
  );
}

function Drop(props: { readonly id: string; readonly onDone: () => void; readonly onCancel: () => void }) {
  const { t } = useText();
  const [reason, setReason] = useState("");
  const { busy, run } = useAct();
  async function send(): Promise<void> {
    const done = await run("dropDelivery", {
      params: { id: props.id },
      fields: { reason: reasonOf(reason) },
      summary: { title: "", lines: [] },
      reads: READS,
    });
    if (done !== undefined) props.onDone();
  }
  return (
    <>
      <p className="soft">{t("alerts.dropAbout")}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        danger
        send={t("alerts.drop")}
        busy={busy}
        disabled={reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={props.onCancel}
      />
    </>
  );
}

type Answered = { readonly channel: "webhook" | "mail"; readonly lastAnswer: string | null };

/** What a person may do about a delivery that fails: which sentence says it. Null: it has no failed try. */
export function adviceOf({ channel, lastAnswer }: Answered) {
  if (lastAnswer === null) return null;
  if (channel === "mail") return lastAnswer === "its time is over" ? "over" : "mail";
  if (lastAnswer === "no such endpoint is configured") return "gone";
  const status = Number(/^([1-5]\d\d)(?!\d)/.exec(lastAnswer)?.[1] ?? 0);
  if (status === 401 || status === 403) return "secret";
  if (status === 410) return "gone";
  if (status === 429 || status >= 500) return "busy";
  // A name that no network knows is a wrong address as well.
  if (status >= 300 || lastAnswer === "ENOTFOUND") return "address";
  return "network";
}
