import type { OwnLimit } from "@longarm/contract/player-limits";
import { LIMIT_MINUTES_MAX } from "@longarm/contract/player-limits";
import type { LimitPeriod, LimitSubject } from "@longarm/contract/player-protection";
import { LIMIT_PERIODS } from "@longarm/contract/player-protection";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { readAmount } from "@longarm/ui/money/read-amount.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { ReactNode } from "react";
import { useState } from "react";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { AmountEntry } from "../../../shared/ui/amount-entry.tsx";
import type { LimitRow, Outcome, SaferPlayDeps } from "../limits.ts";
import {
  durationText,
  isTime,
  keyOf,
  momentText,
  outcomeOf,
  useLimitChange,
  usePreview,
  valueText,
  waitText,
} from "../limits.ts";
import { SaferIcon } from "./icons.tsx";
import css from "./limit-sheet.module.css";

type LimitSheetProps = {
  readonly deps: SaferPlayDeps;
  readonly limits: ReadonlyMap<LimitSubject, OwnLimit>;
  /** The market asks again before a looser limit holds. */
  readonly asksAgain: boolean;
  readonly nowMs: number;
  readonly open: boolean;
  readonly row: LimitRow;
  readonly start: LimitPeriod;
  readonly onClose: () => void;
};

/** Changes one limit: its period, a new value as free text, and what that would come to before it is sent. */
export function LimitSheet(props: LimitSheetProps) {
  const { t } = useText();
  const { open, row, onClose } = props;
  const title = t(`saferPlay.limitOf_${row}`);
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={title}
      bareTitle
      className={css["sheet"] ?? ""}
      // A keyboard can type at once; on a touch screen the field would bring up its keyboard over the rest.
      initialFocus={() =>
        (matchMedia("(pointer: coarse)").matches ? null : document.querySelector<HTMLElement>("[data-amount]")) ?? true
      }
    >
      <Form {...props} title={title} />
    </Sheet>
  );
}

/** What was typed. `undefined`: nothing yet. `wrong`: it is no value. */
type Wanted =
  | { readonly is: "value"; readonly value: number | null }
  | { readonly is: "wrong"; readonly text: string }
  | undefined;

function Form(props: LimitSheetProps & { readonly title: string }) {
  const speech = useText();
  const currency = useCurrency();
  const { t } = speech;
  const { deps, limits, row, start, title, onClose } = props;
  const [period, setPeriod] = useState<LimitPeriod | "session">(start);
  const [typed, setTyped] = useState("");
  const [isNone, setNone] = useState(false);
  const change = useLimitChange(deps);
  const limit = limits.get(keyOf(row, period));
  const read = useReading(keyOf(row, period), typed);
  const wanted: Wanted = isNone ? { is: "value", value: null } : read;
  const value = wanted?.is === "value" ? wanted.value : undefined;
  const outcome = limit === undefined || value === undefined ? undefined : outcomeOf(limit, value);
  if (limit === undefined) return null;

  function clear(): void {
    setTyped("");
    setNone(false);
    change.reset();
  }
  function send(): void {
    if (limit === undefined || value === undefined || change.isPending) return;
    change.mutate(
      { is: "set", key: limit.key, value },
      {
        onSuccess: () => {
          deps.messages.say("good", t(outcome?.is === "later" ? "saferPlay.askedSaid" : "saferPlay.setSaid"));
          clear();
          onClose();
        },
      },
    );
  }
  const failure = change.error instanceof ApiError ? failureText(speech, change.error.failure) : undefined;
  const failed = change.error === null ? undefined : (failure ?? t("app.callFailed"));
  return (
    <form
      noValidate
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (outcome?.is === "now") send();
      }}
    >
      <div className={css["head"]}>
        <p aria-hidden="true">{title}</p>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <Segment
        className={css["periods"] ?? ""}
        label={t("saferPlay.period")}
        value={period}
        onChange={(next) => {
          clear();
          setPeriod(next);
        }}
        options={[...LIMIT_PERIODS, ...(row === "time" ? (["session"] as const) : [])].map((one) => ({
          value: one,
          label: t(`saferPlay.period_${one}`),
        }))}
      />
      <Figures limit={limit} />
      <div className={css["entry"]}>
        <AmountEntry
          label={t(isTime(limit.key) ? "saferPlay.minutesField" : "saferPlay.amount")}
          {...(isTime(limit.key)
            ? { unit: t("saferPlay.minutesUnit") }
            : { symbol: moneyParts(0, currency, speech.language).symbol })}
          value={isNone ? "" : typed}
          wrong={wanted?.is === "wrong" ? wanted.text : undefined}
          onText={(text) => {
            change.reset();
            setNone(false);
            setTyped(text);
          }}
        />
        <Key
          aria-pressed={isNone}
          className={css["none"]}
          onClick={() => {
            change.reset();
            setNone(!isNone);
          }}
        >
          {t("saferPlay.noLimit")}
        </Key>
      </div>
      <OutcomeLine {...props} limit={limit} value={value} outcome={outcome} failed={failed} />
      {outcome?.is === "later" ? (
        <div className={css["twin"]}>
          <Key big onClick={onClose}>
            {t("saferPlay.keep", { limit: valueText(speech, currency, limit.key, limit.mine) })}
          </Key>
          <Key big busy={change.isPending} onClick={send}>
            {value === null || value === undefined
              ? t("saferPlay.askNone")
              : t("saferPlay.ask", { amount: valueText(speech, currency, limit.key, value) })}
          </Key>
        </div>
      ) : (
        <Key
          kind="brass"
          big
          type="submit"
          busy={change.isPending}
          disabled={outcome?.is !== "now"}
          className={css["go"]}
        >
          {value === null || value === undefined
            ? t("saferPlay.set")
            : t("saferPlay.setTo", { amount: valueText(speech, currency, limit.key, value) })}
        </Key>
      )}
      <Foot {...props} limit={limit} outcome={outcome} />
    </form>
  );
}

/** A limit of nothing is one, too. */
const NOTHING = /^\s*[0٠۰]+(?:[.,٫][0٠۰]{1,2})?\s*$/;

/** Reads a typed amount or typed minutes. */
function useReading(name: LimitSubject, typed: string): Wanted {
  const { t, language } = useText();
  const currency = useCurrency();
  if (typed.trim() === "") return undefined;
  if (isTime(name)) {
    const least = name === "session" ? 1 : 0;
    const digits = typed.trim().replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));
    const minutes = /^\d{1,5}$/.test(digits) ? Number(digits) : -1;
    if (minutes >= least && minutes <= LIMIT_MINUTES_MAX) return { is: "value", value: minutes };
    return { is: "wrong", text: t("saferPlay.notMinutes", { most: LIMIT_MINUTES_MAX }) };
  }
  const read = readAmount(typed, moneyParts(0, currency, language).symbol);
  if (NOTHING.test(typed)) return { is: "value", value: 0 };
  if (read.is === "amount") return { is: "value", value: read.minor };
  return { is: "wrong", text: t("saferPlay.notAmount") };
}

/** What holds, what of it is used and what is left. */
function Figures({ limit }: { readonly limit: OwnLimit }) {
  const speech = useText();
  const { t } = speech;
  const { key, value, used, left, owner, mine } = limit;
  const currency = useCurrency();
  const show = (amount: number | null): ReactNode => {
    if (amount === null) return t("saferPlay.none");
    return isTime(key) ? durationText(speech, amount) : <Money minor={amount} tone="ink" />;
  };
  const isForeign = owner !== null && owner !== "player";
  return (
    <div className={css["figures"]}>
      <dl>
        <div>
          <dt className="plate">{t("saferPlay.now")}</dt>
          <dd className="num">{show(value)}</dd>
        </div>
        {key !== "session" && (
          <div>
            <dt className="plate">{t("saferPlay.used")}</dt>
            <dd className="num">{show(used)}</dd>
          </div>
        )}
        {left !== null && (
          <div>
            <dt className="plate">{t("saferPlay.leftPlate")}</dt>
            <dd className="num">{show(left)}</dd>
          </div>
        )}
      </dl>
      {isForeign && (
        <p className={css["owner"]}>
          <SaferIcon name="scales" />
          {t(`saferPlay.owner_${owner}`)}.{" "}
          {mine !== null && t("saferPlay.notMine", { limit: valueText(speech, currency, key, mine) })}
        </p>
      )}
    </div>
  );
}

type OutcomeProps = LimitSheetProps & { readonly limit: OwnLimit; readonly outcome: Outcome | undefined };

/** One sentence: what the typed value does, and from when on. */
function OutcomeLine(
  props: OutcomeProps & { readonly value: number | null | undefined; readonly failed: string | undefined },
) {
  const { limit, outcome, value, failed } = props;
  const isNow = outcome?.is === "now";
  if (failed !== undefined)
    return (
      <p className={css["outcome"]} role="alert" data-failed>
        <Icon name="warning" />
        <span>{failed}</span>
      </p>
    );
  return (
    <div className={css["place"]} role="status">
      {outcome !== undefined && (
        <p className={css["outcome"]} data-now={isNow || undefined}>
          {isNow ? <Icon name="check" /> : <SaferIcon name="hourglass" />}
          <span>
            {outcome.is === "same" && <Same />}
            {outcome.is === "later" && <Later {...props} />}
            {outcome.is === "now" && <Now deps={props.deps} limit={limit} value={value ?? null} over={outcome.over} />}
          </span>
        </p>
      )}
    </div>
  );
}

function Same() {
  return useText().t("saferPlay.same");
}

function Later({ limit, asksAgain }: OutcomeProps) {
  const speech = useText();
  const currency = useCurrency();
  return speech.t(asksAgain ? "saferPlay.later" : "saferPlay.laterAlone", {
    time: momentText(speech, limit.looserFrom),
    limit: valueText(speech, currency, limit.key, limit.mine),
  });
}

function Now(props: {
  readonly deps: SaferPlayDeps;
  readonly limit: OwnLimit;
  readonly value: number | null;
  readonly over: boolean;
}) {
  const speech = useText();
  const currency = useCurrency();
  const { t } = speech;
  const { deps, limit, value, over } = props;
  const preview = usePreview(deps, limit.key, over ? value : undefined);
  const frees = preview?.frees ?? null;
  const said = (
    <>
      {t("saferPlay.stricter")} <b>{t("saferPlay.atOnce")}</b>
    </>
  );
  if (over)
    return (
      <>
        {said} {frees === null ? t("saferPlay.over") : t("saferPlay.overUntil", { time: momentText(speech, frees) })}
      </>
    );
  if (limit.key === "session" || value === null) return said;
  return (
    <>
      {said} {t("saferPlay.leaves", { amount: valueText(speech, currency, limit.key, value - limit.used) })}
    </>
  );
}

/** What comes after it: a stricter limit is slow to raise, a looser one can be taken back. */
function Foot({ limit, outcome, asksAgain, nowMs }: OutcomeProps) {
  const speech = useText();
  const { t } = speech;
  if (outcome?.is === "later") return <p className={css["fine"]}>{t("saferPlay.takeBackNote")}</p>;
  const time = waitText(speech, limit, nowMs);
  return <p className={css["fine"]}>{t(asksAgain ? "saferPlay.raiseLaterAsk" : "saferPlay.raiseLater", { time })}</p>;
}
