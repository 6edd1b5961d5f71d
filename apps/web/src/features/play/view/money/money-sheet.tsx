import { useEffect, useRef, useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyParts, moneyText } from "../../../../shared/money/format.ts";
import { readAmount } from "../../../../shared/money/read-amount.ts";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import { Segment } from "../../../../shared/ui/segment.tsx";
import type { Direction } from "../../state/money/open-transfer.ts";
import type { Sheet } from "../../state/money/sheet-rules.ts";
import { sheetOf } from "../../state/money/sheet-rules.ts";
import { GameSheet } from "../game-sheet.tsx";
import { usePlay } from "../play-context.ts";
import { AmountField } from "./amount-field.tsx";
import { MoneyFlow } from "./money-flow.tsx";
import css from "./money-sheet.module.css";
import { QuickAmounts } from "./quick-amounts.tsx";
import { useSheetNote } from "./use-sheet-note.ts";

/** The money sheet: to the machine or back, with what stays on each side. */
export function MoneySheet(props: {
  readonly direction: Direction | undefined;
  readonly onDirection: (direction: Direction) => void;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const { session } = usePlay();
  const [last, setLast] = useState<Direction>("cashIn");
  // Once the money is there the hand goes to SPIN, not back to the money.
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
  // The balances of a transfer may come before its answer: figures that followed them would preview a second one (player 4).
  const [submitted, setSubmitted] = useState<Sheet>();
  if (submitted !== undefined && open && (transfer.is === "refused" || transfer.is === "idle")) setSubmitted(undefined);
  const live = sheetOf({
    direction,
    amount,
    wallet,
    credit: meters?.credit ?? 0,
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
          { value: "cashIn", label: <Way icon="cashIn" word={t("play.toMachine")} /> },
          { value: "cashOut", label: <Way icon="cashOut" word={t("play.toWallet")} /> },
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

/** One of the two ways the money can go. */
function Way({ icon, word }: { icon: Direction; word: string }) {
  return (
    <b className={css["way"]}>
      <Icon name={icon} />
      {word}
    </b>
  );
}
