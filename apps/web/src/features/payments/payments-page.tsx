import type { Failure } from "@longarm/contract/http";
import type { PaymentKind } from "@longarm/contract/payments";
import { DESK, PAYMENT_KINDS } from "@longarm/contract/payments";
import type { Payment, PaymentsAnswer } from "@longarm/contract/player-payments";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { readAmount } from "@longarm/ui/money/read-amount.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import { readFailure } from "../../shared/api/failure.ts";
import { helpingPage } from "../../shared/money/refusal-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { AmountEntry } from "../../shared/ui/amount-entry.tsx";
import { PaymentSheet } from "./payment-sheet.tsx";
import css from "./payments.module.css";
import type { PaymentsDeps } from "./payments.ts";
import { hasClosedPlay, isOpen, quickAmounts, usePayments, useRequest } from "./payments.ts";
import { failedText, LAMPS, momentText, refusedText, rowName, stateText, wayName } from "./texts.ts";

export type PaymentsPageProps = {
  readonly deps: PaymentsDeps;
  /** What the page is opened for: to add money, where the player may. */
  readonly kind: PaymentKind;
  readonly onKind: (kind: PaymentKind) => void;
  /** What the deposit limit leaves, drawn. */
  readonly gauge: ReactNode;
};

/** Money into the wallet and out of it: ways, amount, what is under way and what became of it. The page decides nothing. */
export function PaymentsPage(props: PaymentsPageProps) {
  const speech = useText();
  const { t } = speech;
  const currency = useCurrency();
  const { data, error, refetch, isFetching } = usePayments(props.deps);
  if (data === "absent")
    return (
      <div role="status">
        <Notice title={t("payments.absent")} body={t("payments.absentBody")} />
      </div>
    );
  if (data !== undefined) return <Wallet {...props} now={data} />;
  if (error !== null)
    return (
      <div role="alert">
        <Notice title={t("payments.failed")} body={failedText(speech, currency, error) ?? ""}>
          <Key busy={isFetching} onClick={() => void refetch()}>
            {t("app.tryAgain")}
          </Key>
        </Notice>
      </div>
    );
  return (
    <div className={css["bones"]} role="status" aria-busy="true">
      <span className="visually-hidden">{t("payments.loading")}</span>
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
    </div>
  );
}

const TABS = { deposit: "cashIn", withdrawal: "cashOut" } as const;

function Wallet(props: PaymentsPageProps & { readonly now: PaymentsAnswer }) {
  const { t } = useText();
  const { deps, onKind, now } = props;
  const [shown, setShown] = useState<string>();
  const kinds = hasClosedPlay(now.depositClosed) ? (["withdrawal"] as const) : PAYMENT_KINDS;
  const kind = kinds.includes(props.kind as never) ? props.kind : "withdrawal";
  const open = now.payments.filter((one) => one.kind === kind && isOpen(one));
  const inSheet = now.payments.find(({ id }) => id === shown);
  return (
    <div className={css["wallet"]}>
      <Segment
        className={css["kinds"] ?? ""}
        label={t("payments.what")}
        value={kind}
        onChange={onKind}
        options={kinds.map((value) => ({
          value,
          label: (
            <>
              <Icon name={TABS[value]} />
              {t(`payments.${value}`)}
            </>
          ),
        }))}
      />
      <RequestForm key={kind} {...props} kind={kind} onRequested={setShown} />
      {open.length > 0 && (
        <section className={css["open"]} aria-labelledby="payments-open">
          <h2 id="payments-open">{t("payments.underWay")}</h2>
          {open.map((payment) => (
            <OpenRow key={payment.id} payment={payment} onShow={() => setShown(payment.id)} />
          ))}
        </section>
      )}
      <Last payments={now.payments} onShow={setShown} />
      <PaymentSheet deps={deps} payment={inSheet} onClose={() => setShown(undefined)} />
    </div>
  );
}

/** Ways and amount, and the key that says what happens. */
function RequestForm(
  props: PaymentsPageProps & { readonly now: PaymentsAnswer; readonly onRequested: (id: string) => void },
) {
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const { deps, kind, now, gauge, onRequested } = props;
  const [typed, setTyped] = useState("");
  const ways = now.ways.filter((one) => one.kinds.includes(kind));
  const [chosen, setChosen] = useState(ways[0]?.name);
  const request = useRequest(deps);
  const most = kind === "deposit" ? now.depositLeft : now.available;
  const closed = kind === "deposit" ? now.depositClosed : now.withdrawalClosed;
  const { symbol } = moneyParts(0, currency, language);
  const read = readAmount(typed, symbol);
  const amount = read.is === "amount" ? read.minor : undefined;
  const isTooMuch = amount !== undefined && most !== null && amount > most;
  const wrong = wrongText();

  function wrongText(): string | undefined {
    if (typed.trim() === "") return undefined;
    if (amount === undefined) return t("payments.notAmount");
    if (isTooMuch) return t(`payments.tooMuch_${kind}`, { amount: moneyText(most ?? 0, currency, language) });
    return undefined;
  }
  function goText(): string {
    if (kind === "deposit" && chosen !== undefined && chosen !== DESK)
      return amount === undefined
        ? t("payments.viaGo", { name: wayName(chosen) })
        : t("payments.viaGoFor", { amount: short(amount), name: wayName(chosen) });
    return amount === undefined ? t(`payments.go_${kind}`) : t(`payments.goFor_${kind}`, { amount: short(amount) });
  }
  function send(): void {
    if (amount === undefined || isTooMuch || chosen === undefined || request.isPending) return;
    request.mutate(
      { kind, way: chosen, amount },
      {
        onSuccess: ({ payments }) => {
          setTyped("");
          const made = payments.find((one) => one.kind === kind && isOpen(one) && one.amount === amount);
          if (made === undefined) return;
          onRequested(made.id);
          // The provider's page; the sheet has the same way for who comes back.
          if (made.url !== null) window.location.assign(made.url);
        },
      },
    );
  }
  if (closed !== null || ways.length === 0) return <Closed kind={kind} closed={closed} />;
  const short = (minor: number) => moneyText(minor, currency, language, true);
  const failed = failedText(speech, currency, request.error);
  return (
    <form
      noValidate
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <fieldset className={css["ways"]}>
        <legend>{t(`payments.how_${kind}`)}</legend>
        {ways.map(({ name }) => (
          <WayRow key={name} name={name} kind={kind} isChosen={chosen === name} onChoose={() => setChosen(name)} />
        ))}
      </fieldset>
      <section className={css["sum"]} aria-labelledby="payments-amount">
        <h2 id="payments-amount">{t("payments.amount")}</h2>
        <AmountEntry
          label={t("payments.amount")}
          symbol={symbol}
          value={typed}
          wrong={wrong}
          onText={(text) => {
            request.reset();
            setTyped(text);
          }}
        />
        <div className={css["quick"]}>
          {quickAmounts(kind, most).map((minor) => (
            <Quick key={minor} minor={minor} now={amount} onChoose={setTyped} />
          ))}
          {kind === "withdrawal" && now.available > 0 && (
            <Quick minor={now.available} now={amount} onChoose={setTyped} label={t("payments.all")} />
          )}
        </div>
        {kind === "deposit" ? (
          gauge
        ) : (
          <p className={css["fine"]}>
            {t("payments.available")} <Money minor={now.available} />
          </p>
        )}
        {failed !== undefined && (
          <p role="alert" className={css["bad"]}>
            <Icon name="warning" />
            {failed}
          </p>
        )}
        <Key
          kind="brass"
          big
          type="submit"
          busy={request.isPending}
          disabled={amount === undefined || isTooMuch}
          className={css["go"]}
        >
          {goText()}
        </Key>
        <p className={css["fine"]}>{t(`payments.fine_${kind}`)}</p>
      </section>
    </form>
  );
}

/** One way: the cashier's desk, or a provider. */
function WayRow(props: {
  readonly name: string;
  readonly kind: PaymentKind;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { t } = useText();
  const { name, kind, isChosen, onChoose } = props;
  return (
    <label className={css["way"]}>
      <input type="radio" name="way" value={name} checked={isChosen} onChange={onChoose} />
      <span>
        <b>{name === DESK ? t("payments.desk") : t("payments.via", { name: wayName(name) })}</b>
        <small>{t(name === DESK ? `payments.deskAbout_${kind}` : `payments.viaAbout_${kind}`)}</small>
      </span>
      <span className={css["end"]}>
        {t(name !== DESK && kind === "withdrawal" ? "payments.viaDays" : "payments.atOnce")}
        {name === DESK ? <DeskIcon /> : <Icon name={TABS[kind]} />}
      </span>
    </label>
  );
}

function Quick(props: {
  readonly minor: number;
  readonly now: number | undefined;
  readonly onChoose: (text: string) => void;
  readonly label?: string;
}) {
  const { language } = useText();
  const currency = useCurrency();
  const { minor, now, onChoose, label } = props;
  const { whole, fraction } = moneyParts(minor, currency, language);
  const text = minor % 100 === 0 ? whole : `${whole}${fraction}`;
  return (
    <Key aria-pressed={minor === now} onClick={() => onChoose(text)}>
      {label ?? <bdi dir="ltr">{text}</bdi>}
    </Key>
  );
}

const HELP = { limits: paths.saferPlay, identity: paths.identity, terms: paths.terms } as const;

/** Why nothing can be requested now, and the page that helps where there is one. */
function Closed({ kind, closed }: { readonly kind: PaymentKind; readonly closed: Failure | null }) {
  const speech = useText();
  const { t } = speech;
  const currency = useCurrency();
  const failure = closed === null ? undefined : readFailure("refused", 403, closed);
  const help = failure?.code === undefined ? undefined : helpingPage(failure.code);
  return (
    <section className={css["closed"]}>
      <Icon name="rule" />
      <h2>{t(`payments.closed_${kind}`)}</h2>
      <p>{failure === undefined ? t("payments.noWay") : refusedText(speech, currency, { failure })}</p>
      {help !== undefined && (
        <Link className={keyClass({ kind: "line" })} to={HELP[help]}>
          {t(`payments.help_${help}`)}
        </Link>
      )}
    </section>
  );
}

/** One that is under way, with the key to its code. */
function OpenRow({ payment, onShow }: { readonly payment: Payment; readonly onShow: () => void }) {
  const { t, language } = useText();
  const { kind, state, amount, madeAt } = payment;
  return (
    <div className={css["openRow"]}>
      <p>
        <Lamp status={LAMPS[state]}>{stateText({ t }, payment)}</Lamp>
        <b>
          <Money minor={amount} tone="ink" /> {rowName({ t }, payment)}
        </b>
        <small className="num">{t("payments.requestedAt", { time: momentText({ language }, madeAt) })}</small>
      </p>
      <Key kind="line" onClick={onShow}>
        {t(payment.code === null ? "payments.show" : "payments.showCode")}
        <span className="visually-hidden">: {rowName({ t }, payment)}</span>
      </Key>
      {kind === "withdrawal" && <small className={css["fine"]}>{t("payments.notPlayable")}</small>}
    </div>
  );
}

/** What became of the newest ones; each opens with its steps. */
function Last({ payments, onShow }: { readonly payments: readonly Payment[]; readonly onShow: (id: string) => void }) {
  const { t, language } = useText();
  return (
    <section className={css["last"]} aria-labelledby="payments-last">
      <h2 id="payments-last">{t("payments.last")}</h2>
      {payments.length === 0 && <p className={css["fine"]}>{t("payments.lastNone")}</p>}
      <ul>
        {payments.map((payment) => {
          const { id, kind, state, amount, moved, at } = payment;
          return (
            <li key={id}>
              <button type="button" onClick={() => onShow(id)}>
                <Icon name={TABS[kind]} />
                <span>
                  <b>{rowName({ t }, payment)}</b>
                  <small className="num">{momentText({ language }, at)}</small>
                </span>
                <Lamp status={LAMPS[state]}>{stateText({ t }, payment)}</Lamp>
                <RowAmount minor={moved ?? amount} kind={kind} state={state} />
              </button>
            </li>
          );
        })}
      </ul>
      <Link className={keyClass({ kind: "bare" })} to={paths.transactions}>
        {t("payments.older")}
      </Link>
    </section>
  );
}

/** Signed when it moved, struck out when it did not. */
function RowAmount({ minor, kind, state }: Pick<Payment, "kind" | "state"> & { readonly minor: number }) {
  const isMoved = state === "captured" || state === "paid";
  if (isMoved) return <Money minor={kind === "deposit" ? minor : -minor} signed tone="ink" />;
  if (isOpen({ state })) return <Money minor={minor} tone="ink" />;
  return (
    <s>
      <Money minor={minor} tone="ink" />
    </s>
  );
}

/** The cashier's desk. Only this page draws it: the other icons are in every first load. */
function DeskIcon() {
  return (
    <svg
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M4.5 13.5h15v6h-15zM6.5 13.5l1.5-5h8l1.5 5M12 8.5V4.5M9.8 4.5h4.4M10.5 16.5h3" />
    </svg>
  );
}
