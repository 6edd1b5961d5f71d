import type { OpenSession } from "@longarm/contract/notification-socket";
import type { BreakBody, BreaksAnswer } from "@longarm/contract/player-breaks";
import { breakCalls } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import { Points } from "../../shared/ui/points.tsx";
import { endOf, useLength, useMoment } from "./lengths.ts";
import css from "./panel.module.css";

/** The tab: what may be chosen comes from the platform. A platform without breaks answers 404. */
export function BreaksTab({ deps }: { readonly deps: BreaksDeps }) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch } = useQuery({
    queryKey: ["breaks"],
    queryFn: async ({ signal }) => {
      const answer = await deps.api.make(breakCalls.breaks, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
  const wallet = useLive(deps.wallet);
  const seat = useLive(deps.openSession);
  async function begin(body: BreakBody): Promise<boolean> {
    const answer = await deps.api.make(breakCalls.beginBreak, { body });
    if (answer.ok) await deps.onBegun();
    else deps.messages.say("bad", failureText(speech, answer.failure));
    return answer.ok;
  }
  if (data === "absent")
    return (
      <div role="status">
        <Notice title={t("breaks.absent")} body={t("breaks.absentBody")} />
      </div>
    );
  if (data !== undefined)
    return (
      <BreaksPanel
        offered={data}
        seat={seat === undefined ? undefined : { machine: seat.name, credit: wallet?.onMachine }}
        clock={deps.clock}
        onBegin={begin}
      />
    );
  if (error === null) return <p role="status">{t("breaks.loading")}</p>;
  const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
  return (
    <div role="alert">
      <Notice title={t("breaks.failed")} body={reason}>
        <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

/** What the tab works with. */
export type BreaksDeps = {
  readonly api: Pick<ApiClient, "make">;
  readonly clock: { now(): number };
  readonly messages: { readonly say: SayMessage };
  readonly wallet: Live<WalletNow>;
  readonly openSession: Live<OpenSession | undefined>;
  /** A break holds: the page of the break takes the place of the lobby. */
  readonly onBegun: () => Promise<void>;
};

/** The seat that a break would end: its machine, and the credits on it in minor units where they are known. */
type SeatNow = { readonly machine: string; readonly credit: number | undefined };

type BreaksPanelProps = {
  readonly offered: Pick<BreaksAnswer, "timeOutHours" | "exclusionMonths" | "panicHours">;
  readonly seat: SeatNow | undefined;
  readonly clock: { now(): number };
  /** Begins a break. False: it did not begin, and the reason was said. */
  readonly onBegin: (wanted: BreakBody) => Promise<boolean>;
};

/** The tab Breaks of Safer play: a time-out, a self-exclusion, and the key for a break of a day at once. */
function BreaksPanel({ offered, seat, clock, onBegin }: BreaksPanelProps) {
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
          idle="breaks.takeNone"
          onChoose={setWanted}
        />
        <Choice
          title={t("breaks.exclusion")}
          about={t("breaks.exclusionAbout")}
          lengths={offered.exclusionMonths.map((months) => ({ kind: "exclusion", months }) as const)}
          clock={clock}
          verb="breaks.close"
          idle="breaks.closeNone"
          onChoose={setWanted}
        />
      </div>
      <Points
        title={t("breaks.both")}
        points={[
          { icon: "wallet", title: t("breaks.moneyTitle"), about: t("breaks.moneyAbout") },
          { icon: "machine", title: t("breaks.creditTitle"), about: t("breaks.creditAbout") },
          { icon: "chat", title: t("breaks.quietTitle"), about: t("breaks.quietAbout") },
          { icon: "clock", title: t("breaks.recordsTitle"), about: t("breaks.recordsAbout") },
        ]}
      />
      <Confirm wanted={wanted} seat={seat} clock={clock} onBegin={onBegin} onClose={() => setWanted(undefined)} />
    </div>
  );
}

/** One press begins it: a player who needs this key must not be led through questions. */
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
  /** What the key says with a length, and before one is chosen. */
  readonly verb: TextKey;
  readonly idle: TextKey;
  readonly onChoose: (wanted: BreakBody) => void;
};

/** A length out of a few, its end as a date, and one key. Nothing is chosen at first. */
function Choice({ title, about, lengths, clock, verb, idle, onChoose }: ChoiceProps) {
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
          {chosen === undefined ? t(idle) : t(verb, { length: lengthOf(chosen) })}
        </Key>
      </div>
    </section>
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
            <b>{t("breaks.atOnce")}</b> {t("breaks.notShortened")}
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
