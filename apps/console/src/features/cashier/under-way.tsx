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

/** What players have requested and is not paid yet, the oldest first. */
export function UnderWay() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const [refusing, setRefusing] = useState<Payment>();
  const payments = useRead("payments");
  const close = () => setRefusing(undefined);
  return (
    <Panel title={t("cashier.underWay")}>
      <Loaded of={payments}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("cashier.underWayNone")} />
          ) : (
            <ul className={css["underWay"]}>
              {rows.map((row) => (
                <li key={row.id}>
                  <span>
                    <b>{row.name ?? row.player.username}</b>
                    <small>
                      {t(`cashier.${WAYS[row.kind]}`)}, {whenText(row.madeAt, clock.now(), venue.timeZone, language)}
                      {row.state !== "requested" && `, ${t("cashier.underReview")}`}
                    </small>
                  </span>
                  <Money minor={row.amount} tone="ink" />
                  <Key
                    kind="line"
                    disabled={!online}
                    aria-label={t("cashier.refuseOf", { name: row.name ?? row.player.username })}
                    onClick={() => setRefusing(row)}
                  >
                    {t("cashier.refuse")}
                  </Key>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <FormSheet open={refusing !== undefined} title={t("cashier.refuseTitle")} onClose={close}>
        {refusing !== undefined && <RefuseForm payment={refusing} close={close} />}
      </FormSheet>
    </Panel>
  );
}

function RefuseForm({ payment, close }: { readonly payment: Payment; readonly close: () => void }) {
  const { t } = useText();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  const [words, setWords] = useState("");
  const { id, kind, amount, player } = payment;
  const name = payment.name ?? player.username;
  async function send(): Promise<void> {
    const answer = await run("refusePayment", {
      params: { id },
      fields: { reason: reasonOf(words) },
      summary: { title: t("cashier.refuseTitle"), lines: [[t("cashier.player"), name]], amount },
      reads: ["payments", "players", "player"],
    });
    if (answer?.is === "done") messages.say("good", t("cashier.refusedSaid"));
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
      <p className="fine">{t("cashier.refuseNote")}</p>
      <ActKeys
        send={t("cashier.refuse")}
        busy={busy}
        disabled={reasonOf(words) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
