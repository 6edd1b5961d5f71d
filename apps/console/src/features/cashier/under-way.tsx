import { DESK } from "@longarm/contract/payments";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Facts, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./cashier.module.css";

type Payment = AnswerOf<"payments">["rows"][number];

/** What a payment is for the desk. */
export const WAYS = { deposit: "deposit", withdrawal: "withdraw" } as const;

type Act = "refusePayment" | "approvePayment" | "settlePayment";
const ACTS = {
  refusePayment: { key: "refuse", title: "refuseTitle", note: "refuseNote", said: "refusedSaid" },
  approvePayment: { key: "approve", title: "approveTitle", note: "approveNote", said: "approvedSaid" },
  settlePayment: { key: "settle", title: "settleTitle", note: "settleNote", said: "settledSaid" },
} as const satisfies Record<Act, unknown>;

/** What may be done about a payment now. */
function actsOf({ way, kind, state, trouble }: Payment): readonly Act[] {
  const settles: readonly Act[] = trouble === null || trouble === "late" ? [] : ["settlePayment"];
  if (settles.length > 0 && state !== "requested" && state !== "authorised") return settles;
  if (way !== DESK && kind === "withdrawal" && state === "inReview") return ["approvePayment", "refusePayment"];
  const isLeft = state === "sent" || state === "approved";
  return [...settles, ...(isLeft ? [] : (["refusePayment"] as const))];
}

/** What players have requested and is not paid yet, the oldest first; and above it what went wrong at a provider. */
export function UnderWay() {
  const { t } = useText();
  const [chosen, setChosen] = useState<{ readonly payment: Payment; readonly act: Act }>();
  const payments = useRead("payments");
  const troubled = useRead("payments", { query: { state: "troubled" } });
  const wrong = (troubled.data?.rows ?? []).filter(({ trouble }) => trouble !== null);
  const close = () => setChosen(undefined);
  const list = (rows: readonly Payment[]) => (
    <ul className={css["underWay"]}>
      {rows.map((row) => (
        <Row key={row.id} row={row} onAct={(act) => setChosen({ payment: row, act })} />
      ))}
    </ul>
  );
  return (
    <>
      {wrong.length > 0 && <Panel title={t("cashier.troubled")}>{list(wrong)}</Panel>}
      <Panel title={t("cashier.underWay")}>
        <Loaded of={payments}>
          {({ rows }) => (rows.length === 0 ? <Empty title={t("cashier.underWayNone")} /> : list(rows))}
        </Loaded>
      </Panel>
      <FormSheet
        open={chosen !== undefined}
        title={t(`cashier.${ACTS[chosen?.act ?? "refusePayment"].title}`)}
        onClose={close}
      >
        {chosen !== undefined && <ActForm {...chosen} close={close} />}
      </FormSheet>
    </>
  );
}

function Row({ row, onAct }: { readonly row: Payment; readonly onAct: (act: Act) => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue, permissions } = useMe();
  const online = useOnline();
  const name = row.name ?? row.player.username;
  const { state, way, trouble, owed } = row;
  const isReviewed = state === "inReview" || (way === DESK && state !== "requested");
  return (
    <li>
      <span>
        <b>{name}</b>
        <small>
          {t(`cashier.${WAYS[row.kind]}`)}
          {way !== DESK && ` (${way})`}, {whenText(row.madeAt, clock.now(), venue.timeZone, language)}
          {isReviewed && `, ${t("cashier.underReview")}`}
          {trouble !== null && `, ${t(`cashier.trouble_${trouble}`)}`}
        </small>
      </span>
      <Money minor={owed > 0 ? -owed : row.amount} tone="ink" />
      {actsOf(row).map((act) => (
        <Key
          key={act}
          kind="line"
          disabled={!online || (act === "settlePayment" && !permissions.includes("player.lock"))}
          aria-label={t(`cashier.${ACTS[act].key}Of`, { name })}
          onClick={() => onAct(act)}
        >
          {t(`cashier.${ACTS[act].key}`)}
        </Key>
      ))}
    </li>
  );
}

function ActForm(props: { readonly payment: Payment; readonly act: Act; readonly close: () => void }) {
  const { payment, act, close } = props;
  const { t } = useText();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  const [words, setWords] = useState("");
  const { id, kind, amount, player } = payment;
  const name = payment.name ?? player.username;
  async function send(): Promise<void> {
    const answer = await run(act, {
      params: { id },
      fields: { reason: reasonOf(words) },
      summary: { title: t(`cashier.${ACTS[act].title}`), lines: [[t("cashier.player"), name]], amount },
      reads: ["payments", "players", "player"],
    });
    if (answer?.is === "done") messages.say("good", t(`cashier.${ACTS[act].said}`));
    if (answer !== undefined) close();
  }
  return (
    <>
      <Facts
        rows={[
          [t("cashier.player"), name],
          [t("cashier.way"), t(`cashier.${WAYS[kind]}`)],
          [t("app.amount"), <Money key="amount" minor={amount} />],
        ]}
      />
      <ReasonField value={words} onText={setWords} />
      <p className="fine">{t(`cashier.${ACTS[act].note}`)}</p>
      <ActKeys
        send={t(`cashier.${ACTS[act].key}`)}
        busy={busy}
        disabled={reasonOf(words) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
