import type { PaymentState } from "@longarm/contract/payments";
import { DESK } from "@longarm/contract/payments";
import type { Payment } from "@longarm/contract/player-payments";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, Key, keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import css from "./payment-sheet.module.css";
import type { PaymentsDeps } from "./payments.ts";
import { isOpen, stepsOf, useCancel } from "./payments.ts";
import { clockText, failedText, LAMPS, momentText, stateText, wayName } from "./texts.ts";

type PaymentSheetProps = {
  readonly deps: PaymentsDeps;
  /** The one that is looked at; undefined: none. It changes while the sheet is open. */
  readonly payment: Payment | undefined;
  readonly onClose: () => void;
};

/** One payment: its code while the desk may take it, how far it is, and what came of it. */
export function PaymentSheet({ deps, payment, onClose }: PaymentSheetProps) {
  const { t, language } = useText();
  const currency = useCurrency();
  // What it showed stays while it closes.
  const [last, setLast] = useState(payment);
  if (payment !== undefined && payment !== last) setLast(payment);
  const shown = payment ?? last;
  const title =
    shown === undefined
      ? t("payments.title")
      : t(`payments.${titleOf(shown)}`, { amount: moneyText(shown.moved ?? shown.amount, currency, language) });
  return (
    <Sheet open={payment !== undefined} onClose={onClose} title={title} bareTitle className={css["sheet"] ?? ""}>
      {shown !== undefined && <Body key={shown.id} {...{ deps, title, onClose }} payment={shown} />}
    </Sheet>
  );
}

function titleOf({ kind, state, code }: Payment) {
  if (code !== null) return "atDesk";
  if (isOpen({ state })) return "onItsWay";
  if (state === "captured") return "inWallet";
  if (state === "paid") return "paidOut";
  if (state === "reversed" || state === "chargedBack") return "wentBack";
  return kind === "deposit" ? "noneMoved" : "backInWallet";
}

function Body(props: {
  readonly deps: PaymentsDeps;
  readonly title: string;
  readonly payment: Payment;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const { deps, title, payment, onClose } = props;
  const { id, state, code } = payment;
  const isDecided = !isOpen({ state });
  return (
    <div className={css["body"]}>
      <div className={css["head"]}>
        {/* What the desk does is read out as it happens. */}
        <div role="status">
          <Lamp status={LAMPS[state]}>{stateText({ t }, payment)}</Lamp>
          <p aria-hidden="true">{title}</p>
        </div>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <About payment={payment} />
      {code !== null && <Code code={code} />}
      {payment.url !== null && (
        <a className={keyClass({ kind: "brass", big: true })} href={payment.url}>
          {t("payments.viaGo", { name: wayName(payment.way) })}
        </a>
      )}
      <Path payment={payment} />
      {isDecided ? (
        <Key big onClick={onClose}>
          {t("payments.back")}
        </Key>
      ) : (
        <End deps={deps} payment={payment} />
      )}
      <p className={css["fine"]}>{t("payments.number", { number: id })}</p>
    </div>
  );
}

const ABOUT: Readonly<Partial<Record<PaymentState, "review" | "captured" | "cancelled" | "expired" | "failed">>> = {
  ...({ authorised: "review", inReview: "review", captured: "captured", cancelled: "cancelled" } as const),
  ...({ expired: "expired", failed: "failed" } as const),
};

type ViaAbout = "onItsWay" | "review" | "sent" | "wentBack" | "cancelled" | "ended";
/** Of a payment that goes through a provider. */
const VIA_ABOUT: Readonly<Partial<Record<PaymentState, ViaAbout>>> = {
  ...({ requested: "onItsWay", authorised: "onItsWay", inReview: "review", approved: "sent", sent: "sent" } as const),
  ...({ reversed: "wentBack", chargedBack: "wentBack", cancelled: "cancelled", expired: "ended" } as const),
};

/** The name of a problem: a rule of the platform refused it, not a person. */
const RULE = /^[a-z]+\.[a-z_]+$/;

/** Why it was refused: the words of who refused, or that a rule did. */
function refusalOf({ way, reason }: Payment, t: Speech["t"]) {
  if (reason === null) return t(way === DESK ? "payments.noReason" : "payments.viaNoReason", { name: wayName(way) });
  if (RULE.test(reason)) return t("payments.viaRule");
  return (
    <>
      {way === DESK ? t("payments.reason") : t("payments.viaReason", { name: wayName(way) })} <q>{reason}</q>
    </>
  );
}

/** How long the code is good, or what came of it and why. */
function About({ payment }: { readonly payment: Payment }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { state, amount, code, until, way } = payment;
  const money = moneyText(amount, currency, language);
  if (way !== DESK && state in VIA_ABOUT)
    return <p>{t(`payments.viaAbout_${VIA_ABOUT[state] ?? "ended"}`, { amount: money })}</p>;
  if (state === "requested" && code !== null)
    return (
      <p>
        {until === null
          ? t("payments.good", { amount: money })
          : t("payments.goodUntil", { amount: money, time: clockText({ language }, until) })}
      </p>
    );
  if (state === "refused") return <p>{refusalOf(payment, t)}</p>;
  const about = ABOUT[state];
  return about === undefined ? null : <p>{t(`payments.about_${about}`)}</p>;
}

/** The code on wheels, in its own order in every language; read sign by sign. */
function Code({ code }: { readonly code: string }) {
  const { t } = useText();
  const signs = Array.from(code);
  return (
    <p className={css["code"]} dir="ltr">
      <span className="visually-hidden">
        {t("payments.code")} {signs.join(" ")}
      </span>
      {signs.map((sign, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the characters of a code never change their places.
        <span key={place} className={css["wheel"]} aria-hidden="true">
          {sign}
        </span>
      ))}
    </p>
  );
}

function Path({ payment }: { readonly payment: Payment }) {
  const { t, language } = useText();
  const { madeAt, at } = payment;
  const steps = stepsOf(payment);
  if (steps.length === 0) return null;
  return (
    <ol className={css["path"]} aria-label={t("payments.path")}>
      {steps.map(({ name, is }, place) => {
        const isEnd = place === steps.length - 1;
        const endedAt = isEnd && is === "done" ? at : undefined;
        const time = name === "made" ? madeAt : endedAt;
        return (
          <li key={name} data-is={is} aria-current={is === "now" ? "step" : undefined}>
            <b>{t(`payments.step_${name}`)}</b>
            <small className="num">
              {time !== undefined && momentText({ language }, time)}
              {name !== "made" && is !== "done" && t(`payments.stepAbout_${name}`)}
            </small>
          </li>
        );
      })}
    </ol>
  );
}

/** The end by the player's own hand: quiet, never suggested. Where a rule forbids it, it says so. */
function End({ deps, payment }: { readonly deps: PaymentsDeps; readonly payment: Payment }) {
  const speech = useText();
  const { t } = speech;
  const { id, kind, state, way, mayCancel } = payment;
  const cancel = useCancel(deps);
  const noBack = state === "requested" ? "noTakeBack" : "notPlayable";
  const cancelKey = way === DESK ? "payments.cancel" : "payments.viaCancel";
  const back = way === DESK ? "takeBackAbout" : "viaTakeBackAbout";
  const failed = failedText(speech, useCurrency(), cancel.error);
  return (
    <>
      {failed !== undefined && (
        <p role="alert" className={css["bad"]}>
          <Icon name="warning" />
          {failed}
        </p>
      )}
      {mayCancel && (
        <Key kind="line" busy={cancel.isPending} onClick={() => cancel.mutate(id)}>
          {t(kind === "deposit" ? cancelKey : "payments.takeBack")}
        </Key>
      )}
      {kind === "withdrawal" && (
        <p className={css["fine"]}>
          {!mayCancel && state === "requested" && <Icon name="rule" />}
          {t(`payments.${mayCancel ? back : noBack}`)}
        </p>
      )}
    </>
  );
}
