import type { BreakBody, BreaksAnswer } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./breaks.module.css";
import { endOf, useLength, useMoment } from "./lengths.ts";

/** The seat that a break would end: its machine, and the credits on it in minor units where they are known. */
export type SeatNow = { readonly machine: string; readonly credit: number | undefined };

export type BreaksPanelProps = {
  readonly offered: Pick<BreaksAnswer, "timeOutHours" | "exclusionMonths" | "panicHours">;
  readonly seat: SeatNow | undefined;
  readonly clock: { now(): number };
  /** Begins a break. False: it did not begin, and the reason was said. */
  readonly onBegin: (wanted: BreakBody) => Promise<boolean>;
};

/** The tab Breaks of Safer play: a time-out, a self-exclusion, and the key for a break of a day at once. */
export function BreaksPanel({ offered, seat, clock, onBegin }: BreaksPanelProps) {
  const { t } = useText();
  const [wanted, setWanted] = useState<BreakBody>();
  return (
    <div className={css["breaks"]}>
      <section className={css["panic"]}>
        <div>
          <h2>{t("breaks.panicTitle")}</h2>
          <p>{t("breaks.panicAbout", { hours: offered.panicHours })}</p>
        </div>
        <Pause hours={offered.panicHours} onBegin={onBegin} />
      </section>
      <div className={css["pair"]}>
        <Choice
          title={t("breaks.timeOut")}
          about={t("breaks.timeOutAbout")}
          lengths={offered.timeOutHours.map((hours) => ({ kind: "timeOut", hours }) as const)}
          clock={clock}
          verb="breaks.take"
          onChoose={setWanted}
        />
        <Choice
          title={t("breaks.exclusion")}
          about={t("breaks.exclusionAbout")}
          lengths={offered.exclusionMonths.map((months) => ({ kind: "exclusion", months }) as const)}
          clock={clock}
          verb="breaks.close"
          onChoose={setWanted}
        />
      </div>
      <section className={css["happens"]}>
        <h2>{t("breaks.both")}</h2>
        <Happens icon="wallet" title={t("breaks.moneyTitle")} about={t("breaks.moneyAbout")} />
        <Happens icon="machine" title={t("breaks.creditTitle")} about={t("breaks.creditAbout")} />
        <Happens icon="chat" title={t("breaks.quietTitle")} about={t("breaks.quietAbout")} />
        <Happens icon="clock" title={t("breaks.recordsTitle")} about={t("breaks.recordsAbout")} />
      </section>
      <Confirm wanted={wanted} seat={seat} clock={clock} onBegin={onBegin} onClose={() => setWanted(undefined)} />
    </div>
  );
}

/** One press begins it: whoever needs this key must not be led through questions. */
function Pause({ hours, onBegin }: { readonly hours: number } & Pick<BreaksPanelProps, "onBegin">) {
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  async function begin(): Promise<void> {
    setBusy(true);
    if (!(await onBegin({ kind: "panic" }))) setBusy(false);
  }
  return (
    <Key big busy={busy} icon="lock" onClick={() => void begin()}>
      {t("breaks.panic", { hours })}
    </Key>
  );
}

type ChoiceProps = {
  readonly title: string;
  readonly about: string;
  readonly lengths: readonly Exclude<BreakBody, { kind: "panic" }>[];
  readonly clock: { now(): number };
  readonly verb: TextKey;
  readonly onChoose: (wanted: BreakBody) => void;
};

/** A length out of a few, its end as a date, and one key. Nothing is chosen at first. */
function Choice({ title, about, lengths, clock, verb, onChoose }: ChoiceProps) {
  const { t } = useText();
  const group = useId();
  const lengthOf = useLength();
  const moment = useMoment();
  const [at, setAt] = useState<number>();
  const chosen = at === undefined ? undefined : lengths[at];
  return (
    <section className={css["choice"]}>
      <h2>{title}</h2>
      <p>{about}</p>
      <div className={css["lengths"]} role="radiogroup" aria-label={title} data-count={lengths.length}>
        {lengths.map((length, index) => (
          <label key={lengthOf(length)}>
            <input type="radio" name={group} checked={index === at} onChange={() => setAt(index)} />
            <span>{lengthOf(length)}</span>
          </label>
        ))}
      </div>
      <p className={css["until"]}>
        <span className="plate">{t("breaks.end")}</span>
        <span data-empty={chosen === undefined || undefined}>
          {chosen === undefined ? t("breaks.chooseLength") : moment(endOf(chosen, clock.now()))}
        </span>
      </p>
      <div>
        <Key big disabled={chosen === undefined} onClick={() => chosen !== undefined && onChoose(chosen)}>
          {t(verb, { length: chosen === undefined ? "" : lengthOf(chosen) }).trim()}
        </Key>
      </div>
    </section>
  );
}

function Happens({ icon, title, about }: { readonly icon: IconName; readonly title: string; readonly about: string }) {
  return (
    <div>
      <Icon name={icon} />
      <b>{title}</b>
      <p>{about}</p>
    </div>
  );
}

type ConfirmProps = Pick<BreaksPanelProps, "seat" | "clock" | "onBegin"> & {
  readonly wanted: BreakBody | undefined;
  readonly onClose: () => void;
};

/** Says what follows, once, and asks no reason. */
function Confirm({ wanted, seat, clock, onBegin, onClose }: ConfirmProps) {
  const { t } = useText();
  const lengthOf = useLength();
  const moment = useMoment();
  const [busy, setBusy] = useState(false);
  if (wanted === undefined || wanted.kind === "panic") return null;
  const isExclusion = wanted.kind === "exclusion";
  const length = lengthOf(wanted);
  async function begin(body: BreakBody): Promise<void> {
    setBusy(true);
    if (!(await onBegin(body))) setBusy(false);
  }
  return (
    <Sheet open title={t(isExclusion ? "breaks.closeTitle" : "breaks.takeTitle", { length })} onClose={onClose}>
      <div className={css["confirm"]}>
        <p className={css["until"]}>
          <span className="plate">{t("breaks.closedUntil")}</span>
          <span>{moment(endOf(wanted, clock.now()))}</span>
        </p>
        <ul>
          <Order icon="clock">
            <b>{t("breaks.atOnce")}</b> {t("breaks.nobody")}
          </Order>
          {seat !== undefined && (
            <Order icon="machine">
              {t("breaks.gameEnds", { machine: seat.machine })}{" "}
              {seat.credit !== undefined && seat.credit > 0 && (
                <b>
                  <Money minor={seat.credit} />
                </b>
              )}
            </Order>
          )}
          <Order icon="wallet">{t("breaks.walletOpen")}</Order>
          {isExclusion && <Order icon="lock">{t("breaks.notByItself")}</Order>}
        </ul>
        <Key kind="brass" big busy={busy} onClick={() => void begin(wanted)}>
          {t(isExclusion ? "breaks.close" : "breaks.take", { length })}
        </Key>
        <Key kind="bare" onClick={onClose}>
          {t("breaks.back")}
        </Key>
      </div>
    </Sheet>
  );
}

function Order({ icon, children }: { readonly icon: IconName; readonly children: ReactNode }) {
  return (
    <li>
      <Icon name={icon} />
      <span>{children}</span>
    </li>
  );
}
