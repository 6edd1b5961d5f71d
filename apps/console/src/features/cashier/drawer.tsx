import { CODE_LENGTH, readCode } from "@longarm/contract/payments";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { CallProblem } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { whenText } from "../../shared/times.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Face, Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./cashier.module.css";
import { WAYS } from "./payment-acts.tsx";

type Shift = NonNullable<AnswerOf<"myShift">["shift"]>;
type PlayerRow = AnswerOf<"players">["rows"][number];
type Requested = AnswerOf<"paymentOfCode">;
type Moved = Extract<AnswerOf<"deposit">, { is: "done" }>["result"];

/** Whose money moves: a player who was looked for, or the payment of the code that was typed. */
export type Chosen = Pick<PlayerRow, "player" | "name"> &
  Partial<Pick<PlayerRow, "wallet" | "state">> & { readonly payment?: Requested };

/** The float is counted before anything moves. */
export function OpenShift() {
  const { t } = useText();
  const { busy, run } = useAct();
  const online = useOnline();
  const [desk, setDesk] = useState("");
  const [float, setFloat] = useState("");
  const minor = amountOf(float);
  const open = () =>
    run("openShift", {
      fields: { desk: desk.trim(), float: minor ?? 0 },
      summary: { title: t("cashier.open"), lines: [] },
      reads: ["myShift"],
      said: t("cashier.opened"),
    });
  return (
    <Panel title={t("cashier.noShift")}>
      <div className={`${panelCss["body"]} ${css["form"]}`}>
        <p className="soft">{t("cashier.noShiftAbout")}</p>
        <Field
          label={t("cashier.desk")}
          value={desk}
          maxLength={100}
          onChange={({ target }) => setDesk(target.value)}
        />
        <AmountField label={t("cashier.float")} value={float} onText={setFloat} zero />
        <Key
          kind="brass"
          busy={busy}
          disabled={!online || desk.trim() === "" || minor === undefined}
          onClick={() => void open()}
        >
          {t("cashier.open")}
        </Key>
      </div>
    </Panel>
  );
}

/** The code that a player shows: who it is and how much come with it. */
function FindCode({ choose }: { readonly choose: (chosen: Chosen) => void }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const [text, setText] = useState("");
  const code = readCode(text);
  const found = useRead("paymentOfCode", { params: { code: code ?? "" } }, code !== null);
  const isUnknown = found.error instanceof CallProblem && found.error.problem === "thing.unknown";
  const isWrong = code === null ? text.replaceAll(/[\s-]/g, "").length >= CODE_LENGTH : isUnknown;
  return (
    <div className={`${panelCss["body"]} ${css["form"]}`}>
      <Field
        label={t("cashier.code")}
        note={t("cashier.codeNote")}
        error={isWrong ? t("cashier.codeWrong") : undefined}
        value={text}
        maxLength={20}
        autoComplete="off"
        dir="ltr"
        onChange={({ target }) => setText(target.value)}
      />
      {code !== null && !isUnknown && (
        <Loaded of={found}>
          {(payment) => (
            <Key kind="brass" onClick={() => choose({ player: payment.player, name: payment.name, payment })}>
              {payment.name ?? payment.player.username} · {t(`cashier.${WAYS[payment.kind]}`)}{" "}
              {moneyText(payment.amount, currency, language)}
            </Key>
          )}
        </Loaded>
      )}
    </div>
  );
}

/** Whose money moves: by the code that a player shows, or by name. */
export function FindPlayer({ choose }: { readonly choose: (chosen: Chosen) => void }) {
  const { t } = useText();
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim());
  const players = useRead("players", { query: { search, limit: 10 } });
  const mayAdd = useMay("player.add");
  return (
    <Panel
      title={t("cashier.player")}
      tools={
        mayAdd && (
          <Link to={paths.players} search={{ act: "add" } as never} className={keyClass({ kind: "line" })}>
            {t("cashier.addPlayer")}
          </Link>
        )
      }
    >
      <FindCode choose={choose} />
      <div className={panelCss["body"]}>
        <SearchField
          label={t("cashier.find")}
          clearLabel={t("app.clear")}
          value={text}
          maxLength={100}
          onText={setText}
          onClear={() => setText("")}
        />
      </div>
      <Loaded of={players}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="search" title={t("cashier.none")} />
          ) : (
            <ul>
              {rows.map((row) => (
                <li key={row.player.id}>
                  <button type="button" className={css["player"]} onClick={() => choose(row)}>
                    <Face name={row.name ?? row.player.username} />
                    <span>
                      <b>{row.name ?? row.player.username}</b>
                      <small>{row.player.username}</small>
                    </span>
                    {row.wallet !== null && <Money minor={row.wallet.available} tone="ink" />}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** A deposit or a withdrawal of one player. */
export function MoveMoney({ close, payment, ...player }: Chosen & { readonly close: () => void }) {
  const { t } = useText();
  const { limits, venue } = useMe();
  const online = useOnline();
  const { busy, run } = useAct();
  const [way, setWay] = useState<"deposit" | "withdraw">(payment === undefined ? "deposit" : WAYS[payment.kind]);
  const [text, setText] = useState("");
  const [receipt, setReceipt] = useState("");
  const [words, setWords] = useState(() => t("cashier.usualReason"));
  const [moved, setMoved] = useState<Moved>();
  const minor = payment?.amount ?? amountOf(text);
  const isTwo = venue.secondPerson && minor !== undefined && minor > (limits.wallet ?? 0);
  const name = player.name ?? player.player.username;
  if (moved !== undefined) return <MovedMoney moved={moved} name={name} close={close} />;
  async function send(): Promise<void> {
    const answer = await run(way, {
      params: { id: player.player.id },
      fields: {
        amount: minor ?? 0,
        reason: reasonOf(words),
        ...(receipt.trim() !== "" && { receipt: receipt.trim() }),
        ...(payment && { payment: payment.id }),
      },
      summary: {
        title: t(`cashier.${way}`),
        lines: [[t("cashier.player"), name]],
        ...(minor !== undefined && { amount: minor }),
      },
      reads: ["players", "player", "myShift", "approvals"],
    });
    if (answer?.is === "done") setMoved(answer.result);
    else if (answer?.is === "waiting") close();
  }
  return (
    <Panel
      title={name}
      about={player.player.username}
      tools={
        <Key kind="bare" onClick={close}>
          {t("cashier.other")}
        </Key>
      }
    >
      <div className={`${panelCss["body"]} ${css["form"]}`}>
        {player.wallet && (
          <Facts
            rows={[
              [t("cashier.inWallet"), <Money key="in" minor={player.wallet.available} />],
              [t("cashier.onMachine"), <Money key="on" minor={player.wallet.onMachine} tone="ink" />],
              [t("cashier.checked"), <Money key="checked" minor={player.wallet.beingChecked} tone="ink" />],
            ]}
          />
        )}
        {player.state !== undefined && player.state !== "active" && (
          <Note kind="bad">{t(`cashier.state_${player.state}`)}</Note>
        )}
        {payment === undefined ? (
          <>
            <Segment
              label={t("cashier.way")}
              value={way}
              onChange={setWay}
              options={[
                { value: "deposit", label: t("cashier.deposit") },
                { value: "withdraw", label: t("cashier.withdraw") },
              ]}
            />
            <AmountField label={t("app.amount")} value={text} onText={setText} />
          </>
        ) : (
          <Facts
            rows={[
              [t("cashier.way"), t(`cashier.${way}`)],
              [t("app.amount"), <Money key="amount" minor={payment.amount} />],
            ]}
          />
        )}
        <Field
          label={t("cashier.receipt")}
          note={t("cashier.receiptNote")}
          value={receipt}
          maxLength={100}
          autoComplete="off"
          onChange={({ target }) => setReceipt(target.value)}
        />
        <ReasonField value={words} onText={setWords} />
        {isTwo && <Note kind="wait">{t("cashier.two")}</Note>}
        <Key
          kind="brass"
          busy={busy}
          disabled={!online || !minor || reasonOf(words) === ""}
          onClick={() => void send()}
        >
          {t(`cashier.${way}`)}
        </Key>
      </div>
    </Panel>
  );
}

function MovedMoney({
  moved,
  name,
  close,
}: {
  readonly moved: Moved;
  readonly name: string;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { before, after, receipt } = moved;
  return (
    <Panel title={t("cashier.done")} about={name}>
      <div className={`${panelCss["body"]} ${css["form"]}`}>
        <Facts
          rows={[
            [t("cashier.before"), <Money key="before" minor={before} tone="ink" />],
            [t("app.amount"), <Money key="amount" minor={after - before} signed />],
            [t("cashier.after"), <Money key="after" minor={after} tone="ink" />],
            ...(receipt === null ? [] : ([[t("cashier.receiptNumber"), String(receipt.number)]] as const)),
          ]}
        />
        {receipt?.onePerson === true && <Note kind="wait">{t("app.onePerson")}</Note>}
        <div className={css["row"]}>
          <Key kind="line" onClick={() => print()}>
            {t("app.print")}
          </Key>
          <Key kind="brass" onClick={close}>
            {t("cashier.next")}
          </Key>
        </div>
      </div>
    </Panel>
  );
}

/** The drawer of the shift, and its count, which is made before the page says what should be there. */
export function Drawer({ shift }: { readonly shift: Shift }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const mayClose = useMay("shift.own");
  const [counting, setCounting] = useState(false);
  return (
    <Panel
      title={t("cashier.drawer")}
      foot={t("cashier.blind")}
      tools={
        mayClose && (
          <Key kind="line" disabled={!online} onClick={() => setCounting(true)}>
            {t("cashier.count")}
          </Key>
        )
      }
    >
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            [t("cashier.since"), whenText(shift.openedAt, clock.now(), venue.timeZone, language)],
            [t("cashier.float"), <Money key="float" minor={shift.float} tone="ink" />],
          ]}
        />
      </div>
      <FormSheet open={counting} title={t("cashier.count")} onClose={() => setCounting(false)}>
        <CountForm close={() => setCounting(false)} />
      </FormSheet>
    </Panel>
  );
}

function CountForm({ close }: { readonly close: () => void }) {
  const { t } = useText();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const minor = amountOf(text);
  async function send(): Promise<void> {
    const answer = await run("closeShift", {
      fields: { counted: minor ?? 0, ...(note.trim() !== "" && { note: note.trim() }) },
      summary: { title: t("cashier.count"), lines: [] },
      reads: ["myShift", "shifts", "tasks"],
    });
    if (answer?.is !== "done") return;
    const isRight = answer.result.difference === 0;
    messages.say(isRight ? "good" : "bad", t(isRight ? "cashier.closed" : "cashier.closedDiffers"));
    close();
  }
  return (
    <>
      <p className="soft">{t("cashier.countAbout")}</p>
      <AmountField label={t("cashier.counted")} value={text} onText={setText} zero />
      <Field label={t("cashier.note")} value={note} maxLength={200} onChange={({ target }) => setNote(target.value)} />
      <ActKeys
        send={t("cashier.close")}
        busy={busy}
        disabled={minor === undefined}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
