import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useEffect, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Face, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./approvals.module.css";
import { Evidence } from "./evidence.tsx";
import { useSentence } from "./sentence.ts";
import { TimeLeft } from "./time-left.tsx";
import { WhatHappens } from "./what-happens.tsx";

/** One approval as the person sees it who signs: what would happen, why, and where it comes from. */
export function ApprovalDetail({ id }: { readonly id: string }) {
  const approval = useRead("approval", { params: { id } });
  const { t } = useText();
  if (approval.data !== undefined) return <Shown approval={approval.data} />;
  return (
    <Panel title={t("approvals.one")}>
      <Loaded of={approval}>{() => null}</Loaded>
    </Panel>
  );
}

function Shown({ approval }: { readonly approval: Approval }) {
  const { t } = useText();
  const sentence = useSentence(approval);
  const { state, expiresAt, refusal } = approval;
  return (
    <Panel title={sentence} tools={state === "waiting" ? <TimeLeft until={expiresAt} /> : undefined}>
      <div className={panelCss["body"]}>
        <Seals approval={approval} />
        <div className={css["two"]}>
          <div>
            <h3 className="plate">{t("approvals.whatHappens")}</h3>
            <WhatHappens approval={approval} />
          </div>
          <div>
            <h3 className="plate">{t("approvals.why", { name: approval.requestedBy.name })}</h3>
            <blockquote>{approval.reason}</blockquote>
          </div>
        </div>
        <Evidence lines={approval.evidence} />
        {state === "refused" && refusal !== null && <Note kind="bad">{t("approvals.refusedWhy", { refusal })}</Note>}
        {state === "changed" && <Note kind="wait">{t("approvals.changedAbout")}</Note>}
        {state === "expired" && <Note>{t("approvals.expiredAbout")}</Note>}
      </div>
      {state === "waiting" && <Decision approval={approval} sentence={sentence} />}
    </Panel>
  );
}

/** The two persons: the second place is open until it is signed. */
function Seals({ approval }: { readonly approval: Approval }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const me = useMe();
  const { requestedBy, requestedAt, decidedBy, decidedAt, state, maySign } = approval;
  const at = (when: string) => whenText(when, clock.now(), me.venue.timeZone, language);
  const second = decidedBy?.name ?? (maySign ? t("approvals.you") : t("approvals.secondPerson"));
  return (
    <div className={css["seals"]} data-done={state === "done" || undefined}>
      <div className={css["seal"]}>
        <Face name={requestedBy.name} />
        <span>
          <b>{requestedBy.id === me.person.id ? t("approvals.you") : requestedBy.name}</b>
          <small>{t("approvals.requestedAt", { time: at(requestedAt) })}</small>
        </span>
      </div>
      <i aria-hidden="true" />
      <div className={css["seal"]} data-open={decidedBy === null || undefined}>
        <Face name={decidedBy?.name ?? (maySign ? me.person.name : "?")} />
        <span>
          <b>{second}</b>
          <small>
            {decidedAt === null ? t("approvals.notSigned") : `${t(`approvals.${state}`)}, ${at(decidedAt)}`}
          </small>
        </span>
      </div>
    </div>
  );
}

const READS = ["approvals", "approval", "staff", "roles"] as const;

function Decision({ approval, sentence }: { readonly approval: Approval; readonly sentence: string }) {
  const { t } = useText();
  const me = useMe();
  const online = useOnline();
  const { busy, run } = useAct();
  const [refusing, setRefusing] = useState(false);
  const { id, hash, maySign, requestedBy, reason, amount } = approval;
  const isMine = requestedBy.id === me.person.id;

  async function sign(): Promise<void> {
    await run("signApproval", {
      params: { id },
      fields: { hash },
      summary: {
        title: sentence,
        lines: [
          [t("approvals.requestedBy"), requestedBy.name],
          [t("app.reason"), reason],
        ],
        ...(amount !== null && { amount }),
      },
      reads: READS,
      said: t("approvals.signed"),
    });
  }
  async function withdraw(): Promise<void> {
    await run("withdrawApproval", {
      params: { id },
      fields: {},
      summary: { title: t("approvals.withdraw"), lines: [] },
      reads: READS,
      said: t("approvals.withdrawnSaid"),
    });
  }
  useLetters(maySign && online && !refusing ? { a: () => void sign(), r: () => setRefusing(true) } : {});
  if (isMine)
    return (
      <footer className={css["foot"]}>
        <Key kind="line" busy={busy} disabled={!online} onClick={() => void withdraw()}>
          {t("approvals.withdraw")}
        </Key>
        <span className="fine">{t("approvals.ownAbout")}</span>
      </footer>
    );
  if (!maySign)
    return (
      <footer className={css["foot"]}>
        <span className="fine">{t("approvals.mayNotSign")}</span>
      </footer>
    );
  return (
    <footer className={css["foot"]}>
      <Key kind="brass" busy={busy} disabled={!online} onClick={() => void sign()}>
        {t("approvals.sign")}
      </Key>
      <Key kind="line" disabled={!online} onClick={() => setRefusing(true)}>
        {t("approvals.refuse")}
      </Key>
      <span className={css["hints"]} aria-hidden="true">
        <kbd>A</kbd> {t("approvals.keySign")} <kbd>R</kbd> {t("approvals.keyRefuse")}
      </span>
      <FormSheet open={refusing} title={t("approvals.refuse")} onClose={() => setRefusing(false)}>
        <Refusal id={id} close={() => setRefusing(false)} />
      </FormSheet>
    </footer>
  );
}

/** A refusal needs a reason, which the person reads who requested it. */
function Refusal({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [reason, setReason] = useState("");
  const fields = { reason: reasonOf(reason) };
  async function refuse(): Promise<void> {
    const answer = await run("refuseApproval", {
      params: { id },
      fields,
      summary: { title: t("approvals.refuse"), lines: [] },
      reads: READS,
      said: t("approvals.refusedSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={t("approvals.refuseNow")}
        danger
        busy={busy}
        disabled={fields.reason === ""}
        onSend={() => void refuse()}
        onCancel={close}
      />
    </>
  );
}

/** Single letters, which do nothing while a person types or a sheet is open. */
function useLetters(letters: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const act = letters[event.key.toLowerCase()];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const { target } = event;
      if (target instanceof Element && target.closest("input, textarea, select, [role=dialog]")) return;
      if (document.querySelector("[role=dialog]") !== null) return;
      event.preventDefault();
      act();
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
