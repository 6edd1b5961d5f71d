import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money, MoneySaid } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import type { TextKey } from "../../shared/texts.ts";
import { whenText } from "../../shared/times.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Note, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./money.module.css";
import { SlipSheet } from "./slip-sheet.tsx";

type HandPay = AnswerOf<"handPays">["rows"][number];
type Discrepancy = AnswerOf<"discrepancies">["rows"][number];
type Unresolved = AnswerOf<"unresolved">["rows"][number];

/** Hand pays, transfers whose outcome is unknown, and discrepancies with their evidence. */
export function MoneyPage() {
  const { t } = useText();
  const seesHandPays = useMay("handPay.see");
  const seesTransfers = useMay("transfer.see");
  const seesDiscrepancies = useMay("discrepancy.see");
  return (
    <Page title={t("app.money")}>
      {seesHandPays && <HandPays />}
      {seesTransfers && <UnresolvedTransfers />}
      {seesDiscrepancies && <Discrepancies />}
    </Page>
  );
}

function HandPays() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const mayPay = useMay("handPay.pay");
  const [state, setState] = useState<"owed" | "paid" | "voided">("owed");
  const [paying, setPaying] = useState<HandPay>();
  const [slip, setSlip] = useState<NonNullable<HandPay["slip"]>>();
  const handPays = useRead("handPays", { query: { state } });
  return (
    <Panel
      title={t("money.handPays")}
      tools={
        <Segment
          label={t("money.show")}
          value={state}
          onChange={setState}
          options={[
            { value: "owed", label: t("money.owed") },
            { value: "paid", label: t("money.paid") },
            { value: "voided", label: t("money.voided") },
          ]}
        />
      }
    >
      <Loaded of={handPays}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t(`money.none_${state}`)} />
          ) : (
            <ul className={css["list"]}>
              {rows.map((row) => (
                <li key={`${row.machine.id} ${row.handPay}`}>
                  <span>
                    <b>{row.machine.name}</b>
                    <small>
                      {t(`money.kind_${row.kind}`)}
                      {row.player !== null && `, ${row.player.username}`}
                      {row.slip !== null && `, ${t("money.slip", { number: row.slip.number })}`}
                    </small>
                  </span>
                  <small className="num">{whenText(row.since, clock.now(), venue.timeZone, language)}</small>
                  <Money minor={row.amount} />
                  {row.state === "owed" && mayPay && (
                    <Key
                      kind="line"
                      disabled={!online}
                      aria-label={t("money.payAt", { name: row.machine.name })}
                      onClick={() => setPaying(row)}
                    >
                      {t("money.pay")}
                    </Key>
                  )}
                  {row.slip !== null && <SlipKey slip={row.slip} open={setSlip} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <FormSheet open={paying !== undefined} title={t("money.payTitle")} onClose={() => setPaying(undefined)}>
        {paying !== undefined && <PayForm row={paying} close={() => setPaying(undefined)} />}
      </FormSheet>
      <SlipSheet slip={slip} close={() => setSlip(undefined)} />
    </Panel>
  );
}

type SlipKeyProps = {
  readonly slip: NonNullable<HandPay["slip"]>;
  readonly open: (slip: NonNullable<HandPay["slip"]>) => void;
};

function SlipKey({ slip, open }: SlipKeyProps) {
  const { t } = useText();
  const number = String(slip.number);
  return (
    <Key kind="line" aria-label={t("money.openSlip", { number })} onClick={() => open(slip)}>
      {t("money.slipOpen")}
    </Key>
  );
}

/** The amount is the machine's. Another one keeps both figures and needs a reason and a second person. */
function PayForm({ row, close }: { readonly row: HandPay; readonly close: () => void }) {
  const { t } = useText();
  const { limits, venue } = useMe();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  const [other, setOther] = useState("");
  const [reason, setReason] = useState("");
  const override = amountOf(other);
  const isOther = other !== "";
  const isTwo = venue.secondPerson && (isOther || row.amount > (limits.handPay ?? 0));
  async function send(): Promise<void> {
    const answer = await run("payHandPay", {
      params: { id: row.machine.id },
      fields: {
        handPay: row.handPay,
        machineAmount: row.amount,
        ...(isOther && override !== undefined && { override: { amount: override, reason: reasonOf(reason) } }),
      },
      summary: {
        title: t("money.payTitle"),
        lines: [[t("money.machine"), row.machine.name]],
        amount: override ?? row.amount,
      },
      reads: ["handPays", "tasks", "approvals", "machine"],
    });
    if (answer === undefined) return;
    if (answer.is === "done")
      messages.say(
        answer.result.machineReset ? "good" : "info",
        t(answer.result.machineReset ? "money.paidSaid" : "money.paidNoReset"),
      );
    close();
  }
  return (
    <>
      <Facts
        rows={[
          [t("money.machine"), row.machine.name],
          [t("money.owes"), <Money key="owes" minor={row.amount} />],
          [t("money.player"), row.player?.username ?? "–"],
        ]}
      />
      <AmountField label={t("money.other")} value={other} onText={setOther} />
      {isOther && <ReasonField value={reason} onText={setReason} />}
      <Note>{t("money.toWallet")}</Note>
      {isTwo && <Note kind="wait">{t("money.two")}</Note>}
      <ActKeys
        send={t("money.pay")}
        busy={busy}
        disabled={isOther && (!override || reasonOf(reason) === "")}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

function UnresolvedTransfers() {
  const { t } = useText();
  const unresolved = useRead("unresolved");
  return (
    <Panel title={t("money.unresolved")} foot={t("money.unresolvedAbout")}>
      <Loaded of={unresolved}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("money.noneUnresolved")} />
          ) : (
            rows.map((row) => <OneUnresolved key={row.id} row={row} />)
          )
        }
      </Loaded>
    </Panel>
  );
}

const WITNESSES = ["machineRecord", "agentJournal", "ledger"] as const;

/** What the three witnesses say of one transfer; the one safe act is to read the machine's record again. */
function OneUnresolved({ row }: { readonly row: Unresolved }) {
  const { t } = useText();
  const online = useOnline();
  const mayAsk = useMay("transfer.askAgain");
  const { busy, run } = useAct();
  const again = () =>
    run("askAgain", {
      params: { id: row.id },
      fields: {},
      summary: { title: t("money.readAgain"), lines: [] },
      reads: ["unresolved", "tasks"],
      said: t("money.wasRead"),
    });
  return (
    <div className={css["one"]}>
      <p>
        <b>{row.machine.name}</b>, {row.player.username}, {t(`money.way_${row.direction}`)}{" "}
        <MoneySaid minor={row.amount ?? undefined} tone="ink" />
      </p>
      <dl className={css["witnesses"]}>
        {WITNESSES.map((witness) => (
          <div key={witness}>
            <dt>{t(`money.${witness}`)}</dt>
            <dd>
              {t(`money.says_${row[witness].says}`)}{" "}
              {row[witness].amount !== null && <Money minor={row[witness].amount} tone="ink" />}
            </dd>
          </div>
        ))}
      </dl>
      {mayAsk && (
        <Key kind="line" busy={busy} disabled={!online} onClick={() => void again()}>
          {t("money.readAgain")}
        </Key>
      )}
    </div>
  );
}

function Discrepancies() {
  const { t } = useText();
  const [state, setState] = useState<"open" | "explained">("open");
  const found = useRead("discrepancies", { query: { state } });
  return (
    <Panel
      title={t("money.discrepancies")}
      tools={
        <Segment
          label={t("money.show")}
          value={state}
          onChange={setState}
          options={[
            { value: "open", label: t("money.open") },
            { value: "explained", label: t("money.explained") },
          ]}
        />
      }
    >
      <Loaded of={found}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t(state === "open" ? "money.noneOpen" : "money.noneExplained")} />
          ) : (
            rows.map((row) => <OneDiscrepancy key={row.number} row={row} />)
          )
        }
      </Loaded>
    </Panel>
  );
}

function OneDiscrepancy({ row }: { readonly row: Discrepancy }) {
  const { t } = useText();
  const online = useOnline();
  const mayExplain = useMay("discrepancy.explain");
  const [open, setOpen] = useState(false);
  return (
    <div className={css["one"]}>
      <p>
        <b>{t("money.discrepancy", { number: row.number })}</b>, {row.machine.name}
        {row.player !== null && `, ${row.player.username}`}
      </p>
      <table className={css["lines"]}>
        <thead>
          <tr>
            <td />
            <th scope="col">{t("money.ledger")}</th>
            <th scope="col">{t("money.machine")}</th>
          </tr>
        </thead>
        <tbody>
          {[{ label: "total", ledger: row.ledgerAmount, machine: row.machineAmount }, ...row.lines].map(
            ({ label, ledger, machine }) => (
              <tr key={label} data-apart={ledger !== machine || undefined}>
                <th scope="row">{lineText(label, t)}</th>
                <td>
                  <Figure of={label} value={ledger} />
                </td>
                <td>
                  <Figure of={label} value={machine} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {row.state === "explained" ? (
        <Lamp status="available">{row.explanation ?? t("money.explained")}</Lamp>
      ) : (
        <p className="soft">
          {t("money.inSuspense")} <Money minor={row.inSuspense} />
        </p>
      )}
      {row.state === "open" && mayExplain && (
        <Key kind="line" disabled={!online} onClick={() => setOpen(true)}>
          {t("money.explain")}
        </Key>
      )}
      <FormSheet open={open} title={t("money.explain")} onClose={() => setOpen(false)}>
        <ExplainForm row={row} close={() => setOpen(false)} />
      </FormSheet>
    </div>
  );
}

/** What the platform compares, by the names that it keeps. */
const LINE_TEXTS: Readonly<Record<string, TextKey>> = {
  total: "money.total",
  "ledger account": "money.line_ledgerAccount",
  "credit meter": "money.line_creditMeter",
  games: "money.line_games",
  wagered: "money.line_wagered",
  won: "money.line_won",
  machinePaid: "money.line_machinePaid",
  handPaid: "money.line_handPaid",
  cashIn: "money.line_cashIn",
  cashOut: "money.line_cashOut",
  otherIn: "money.line_otherIn",
  otherOut: "money.line_otherOut",
  billsIn: "money.line_billsIn",
  ticketsIn: "money.line_ticketsIn",
  ticketsOut: "money.line_ticketsOut",
  cancelledOut: "money.line_cancelledOut",
  promotionIn: "money.line_promotionIn",
  promotionOut: "money.line_promotionOut",
};

const lineText = (name: string, t: (key: TextKey) => string): string => {
  const key = LINE_TEXTS[name];
  return key === undefined ? name : t(key);
};

/** An amount, but for games, which are counted. */
function Figure({ of, value }: { readonly of: string; readonly value: number | null }) {
  if (of === "games" && value !== null) return <span className="num">{value}</span>;
  return <MoneySaid minor={value ?? undefined} tone="ink" />;
}

type Owner = "player" | "platform" | "none";

/** Whose the money is; a second person signs before anything is posted. */
function ExplainForm({ row, close }: { readonly row: Discrepancy; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [owner, setOwner] = useState<Owner>("player");
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const wanted = {
    params: { number: String(row.number) },
    summary: {
      title: t("money.explain"),
      lines: [[t("money.owner"), t(`money.owner_${owner}`)]] as const,
      amount: row.inSuspense,
    },
  };
  async function send(): Promise<void> {
    const answer = await run("explainDiscrepancy", {
      ...wanted,
      fields: { owner, reason },
      reads: ["discrepancies", "tasks", "approvals"],
      said: t("money.explained"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <Segment<Owner>
        label={t("money.owner")}
        value={owner}
        onChange={setOwner}
        options={(["player", "platform", "none"] as const).map((value) => ({
          value,
          label: t(`money.owner_${value}`),
        }))}
      />
      <ReasonField value={text} onText={setText} />
      <Note kind="wait">{t("money.two")}</Note>
      <ActKeys
        send={t("money.explain")}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
