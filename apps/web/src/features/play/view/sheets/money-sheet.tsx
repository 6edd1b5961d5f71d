import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { TypedAmount } from "@longarm/ui/money/read-amount.ts";
import { AMOUNT_LENGTH_MAX, labelText, readAmount } from "@longarm/ui/money/read-amount.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { useEffect, useId, useRef, useState } from "react";
import type { TextKey } from "../../../../shared/i18n/text-key.ts";
import { isLimitRefusal } from "../../../../shared/money/refusal-text.ts";
import { paths } from "../../../../shared/paths/paths.ts";
import { cashableOf } from "../../state/play-state.ts";
import type { Sheet, SheetProblem } from "../../state/sheet-rules.ts";
import { sheetOf } from "../../state/sheet-rules.ts";
import type { Direction } from "../../state/transfers.ts";
import { usePlay } from "../play-context.ts";
import { GameSheet } from "./game-sheet.tsx";
import css from "./money-sheet.module.css";
import { transferText, typedText } from "./transfer-text.ts";

/** The money sheet: to the machine or back, with what remains on each side. */
export function MoneySheet(props: {
  readonly direction: Direction | undefined;
  readonly onDirection: (direction: Direction) => void;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const { session } = usePlay();
  const [last, setLast] = useState<Direction>("cashIn");
  // After a transfer the focus goes to SPIN, not back to the money button.
  const paid = useRef(false);
  useEffect(
    () =>
      session.transfer.subscribe(({ is }) => {
        paid.current = is === "done" || (is === "idle" && paid.current);
      }),
    [session],
  );
  useEffect(() => {
    if (props.direction !== undefined) paid.current = false;
  }, [props.direction]);
  if (props.direction !== undefined && props.direction !== last) setLast(props.direction);
  return (
    <GameSheet
      open={props.direction !== undefined}
      onClose={props.onClose}
      title={t("play.transfer")}
      arrangement={css["arrangement"]}
      // A keyboard can type at once; on a touch screen the field would bring up its keyboard over the quick amounts.
      initialFocus={() =>
        (matchMedia("(pointer: coarse)").matches ? null : document.querySelector<HTMLElement>("[data-amount]")) ?? true
      }
      finalFocus={() => (paid.current ? document.querySelector<HTMLElement>("[data-spin]") : null) ?? true}
    >
      <Transfer
        open={props.direction !== undefined}
        direction={props.direction ?? last}
        onDirection={props.onDirection}
        onClose={props.onClose}
      />
    </GameSheet>
  );
}

function Transfer(props: {
  readonly open: boolean;
  readonly direction: Direction;
  readonly onDirection: (direction: Direction) => void;
  readonly onClose: () => void;
}) {
  const { open, direction, onDirection, onClose } = props;
  const { t, language } = useText();
  const currency = useCurrency();
  const { session, deps, throttle } = usePlay();
  const [typed, setTyped] = useState("");
  const wallet = useLive(deps.wallet)?.balance;
  const { meters, limits, machine, online } = useLive(session.state);
  const transfer = useLive(session.transfer);
  const read = readAmount(typed, moneyParts(0, currency, language).symbol);
  const amount = read.is === "amount" ? read.minor : undefined;
  // The balances of a transfer may arrive before its answer: figures that followed them would preview a second transfer (player 4).
  const [submitted, setSubmitted] = useState<Sheet>();
  if (submitted !== undefined && open && (transfer.is === "refused" || transfer.is === "idle")) setSubmitted(undefined);
  const live = sheetOf({
    direction,
    amount,
    wallet,
    credit: (meters && (direction === "cashOut" ? cashableOf(meters) : meters.credit)) ?? 0,
    denomination: machine?.denomination ?? 1,
    limits,
    settings: deps.settings,
  });
  const sheet = submitted ?? live;
  const note = useSheetNote({ direction, typed, read, sheet });
  useEffect(() => {
    if (transfer.is === "done") onClose();
  }, [transfer.is, onClose]);
  const busy = transfer.is === "busy";
  const blocked = busy || transfer.is === "checking" || submitted !== undefined;
  const amountText = amount === undefined ? "" : moneyText(amount, currency, language, true);
  const word = direction === "cashIn" ? t("play.deposit") : t("play.withdraw");
  const sentence = direction === "cashIn" ? "play.depositAmount" : "play.withdrawAmount";
  function choose(minor: number): void {
    setTyped(moneyText(minor, currency, language, true).replace(/[^\d.,]/g, ""));
    session.clearTransfer();
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!sheet.ready || blocked || amount === undefined || !throttle(direction)) return;
        const everything = direction === "cashOut" && amount === sheet.from.now;
        if (session.transferMoney(direction, everything ? null : amount)) setSubmitted(sheet);
      }}
    >
      <Segment
        className={css["ways"] ?? ""}
        label={t("play.transfer")}
        value={direction}
        onChange={(next) => {
          if (blocked) return;
          setTyped("");
          session.clearTransfer();
          onDirection(next);
        }}
        options={[
          { value: "cashIn", label: <DirectionLabel icon="cashIn" word={t("play.toMachine")} /> },
          { value: "cashOut", label: <DirectionLabel icon="cashOut" word={t("play.toWallet")} /> },
        ]}
      />
      <MoneyFlow direction={direction} sheet={sheet} moving={sheet.ready} />
      <AmountField
        value={typed}
        note={note}
        disabled={blocked}
        onChange={(text) => {
          setTyped(text);
          session.clearTransfer();
        }}
      />
      <QuickAmounts sheet={sheet} chosen={amount} disabled={blocked} onChoose={choose} />
      <Key
        kind="brass"
        big
        type="submit"
        className={css["go"]}
        busy={busy}
        disabled={!busy && (!sheet.ready || !online || blocked)}
      >
        {amount === undefined ? word : t(sentence, { amount: amountText })}
      </Key>
    </form>
  );
}

/** One of the two directions. */
function DirectionLabel({ icon, word }: { icon: Direction; word: string }) {
  return (
    <b className={css["way"]}>
      <Icon name={icon} />
      {word}
    </b>
  );
}

/** The operator's quick amounts, by their labels as written (R-9-12), a plain number in the page's number format, and everything. An amount that cannot be paid is disabled, not hidden. */
function QuickAmounts(props: {
  readonly sheet: Sheet;
  readonly chosen: number | undefined;
  readonly disabled: boolean;
  readonly onChoose: (minor: number) => void;
}) {
  const { t, language } = useText();
  const { sheet, chosen, disabled, onChoose } = props;
  return (
    <fieldset className={css["quick"]} aria-label={t("play.quickAmounts")} disabled={disabled}>
      {sheet.quick.map(({ label, minor, enabled }) => (
        <Key key={minor} aria-pressed={chosen === minor} disabled={!enabled} onClick={() => onChoose(minor)}>
          <bdi>{labelText(label, language)}</bdi>
        </Key>
      ))}
      <Key
        className={css["all"]}
        aria-pressed={sheet.all > 0 && chosen === sheet.all}
        disabled={sheet.all === 0}
        onClick={() => onChoose(sheet.all)}
      >
        {t("play.all")} <Money minor={sheet.all} />
      </Key>
    </fieldset>
  );
}

/** From where to where, and the amount on each side before and after. */
function MoneyFlow({ direction, sheet, moving }: { direction: Direction; sheet: Sheet; moving: boolean }) {
  const { t } = useText();
  const { session, machineName } = usePlay();
  const machine = useLive(session.state, (state) => state.machine?.name) ?? machineName;
  const names = direction === "cashIn" ? [t("play.wallet"), machine] : [machine, t("play.wallet")];
  return (
    <div className={css["flow"]}>
      <div>
        <span className="plate">
          <bdi>{names[0]}</bdi>
        </span>
        <Money minor={sheet.from.now} />
        <p className={css["later"]} data-shown={moving}>
          <Money minor={sheet.from.after} tone="ink" /> {t("play.remains")}
        </p>
      </div>
      <span className={css["arrow"]}>
        <Icon name="back" />
      </span>
      <div>
        <span className="plate">
          <bdi>{names[1]}</bdi>
        </span>
        <Money minor={sheet.to.now} />
        <p className={css["later"]} data-shown={moving}>
          <Money minor={sheet.to.after} tone="ink" /> {t("play.becomes")}
        </p>
      </div>
    </div>
  );
}

/** The amount in large figures, typed or chosen, with its note below. */
function AmountField(props: {
  readonly value: string;
  readonly note: SheetNote | undefined;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
}) {
  const { t, language } = useText();
  const currency = useCurrency();
  const id = useId();
  const { value, note, disabled } = props;
  return (
    <div className={css["amountPlace"]}>
      <label className={css["amount"]} data-invalid={note?.bad || undefined}>
        <span className="visually-hidden">{t("play.amount")}</span>
        <span className={css["typed"]} dir="ltr">
          <i aria-hidden="true">{moneyParts(0, currency, language).symbol}</i>
          <input
            data-amount
            inputMode="decimal"
            autoComplete="off"
            enterKeyHint="done"
            placeholder="0"
            maxLength={AMOUNT_LENGTH_MAX}
            size={Math.max(1, value.length)}
            value={value}
            // Not disabled: that would drop the focus, and the page could not restore it.
            readOnly={disabled}
            aria-invalid={note?.bad || undefined}
            aria-describedby={id}
            // As typed: without the other characters "1e5" would become 15.
            onChange={({ target }) => props.onChange(target.value)}
          />
        </span>
      </label>
      <p id={id} className={css["note"]} data-bad={note?.bad || undefined} role="status">
        {note?.text}
        {note?.ofLimit === true && (
          // In a tab of its own: this one keeps the seat.
          <a className={css["limits"]} href={paths.saferPlay} target="_blank" rel="noopener">
            {t("play.toLimits")}
          </a>
        )}
      </p>
    </div>
  );
}

type SheetNote = {
  readonly text: string;
  readonly bad: boolean;
  /** A limit of the player refuses it: the page of limits says which one. */
  readonly ofLimit?: boolean;
};

/** The sentence under the amount: what is wrong with it, or the state of the transfer. */
function useSheetNote(now: {
  readonly direction: Direction;
  readonly typed: string;
  readonly read: TypedAmount;
  readonly sheet: Sheet;
}): SheetNote | undefined {
  const speech = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const transfer = useLive(session.transfer);
  const online = useLive(session.state, (state) => state.online);
  const { direction, typed, read, sheet } = now;
  const bound = moneyText(sheet.bound, currency, speech.language, true);
  if (transfer.is === "refused" || transfer.is === "checking") {
    const text = transferText(transfer, speech, currency);
    const refusal = transfer.is === "refused" ? transfer.refusal : undefined;
    const ofLimit = refusal !== undefined && isLimitRefusal(refusal.code);
    if (text !== undefined) return { text, bad: transfer.is === "refused", ofLimit };
  }
  if (!online) return { text: speech.t("play.connectionLost"), bad: true };
  const wrong = typed === "" ? undefined : typedText(read, speech, currency);
  if (wrong !== undefined) return { text: wrong, bad: true };
  if (sheet.problem === undefined) return undefined;
  const key = sheet.problem === "notEnough" ? NOT_ENOUGH[direction] : PROBLEMS[sheet.problem];
  return { text: speech.t(key, { amount: bound }), bad: true };
}

const NOT_ENOUGH = { cashIn: "play.walletHas", cashOut: "play.machineHas" } as const satisfies Record<
  Direction,
  TextKey
>;
const PROBLEMS = {
  belowMin: "play.belowLeast",
  aboveMax: "play.aboveMost",
  notWhole: "play.notWhole",
} as const satisfies Record<Exclude<SheetProblem, "notEnough">, TextKey>;
