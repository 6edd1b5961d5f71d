import type { PlayClosed } from "@longarm/contract/play-closed";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { ReactNode } from "react";
import { useState } from "react";
import { Gate } from "../../shared/ui/gate.tsx";
import css from "./breaks.module.css";

export type ClosedGateProps = {
  readonly closed: PlayClosed;
  /** What can be spent, minor units; undefined: not known yet. */
  readonly wallet: number | undefined;
  /** Asks for play after an exclusion. */
  readonly onReopen: () => Promise<void>;
  /** The ways that stay open: statement, games, contact. */
  readonly ways: ReactNode;
  /** The organisations that help. */
  readonly help: ReactNode;
};

/** Instead of the lobby, while a break holds: until when, the player's money, and what stays open. */
export function ClosedGate({ closed, wallet, onReopen, ways, help }: ClosedGateProps) {
  const { t, language } = useText();
  const [busy, setBusy] = useState(false);
  const isForced = closed.kind === "forced";
  const opens = Date.parse(closed.opensAt ?? closed.until);
  // A date is read as one.
  const day = timeFormat(language, { day: "numeric", month: "long", year: "numeric" })
    .format(opens)
    .replaceAll(" ", "\u00a0");
  const time = timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(opens);
  const waits = closed.isOver === true && closed.opensAt === undefined;
  const aboutGate = waits ? "breaks.overAbout" : "breaks.gateAbout";
  const minutes = Math.round((Date.parse(closed.until) - Date.parse(closed.from)) / 60_000);
  const title = isForced
    ? t("breaks.forcedTitle", { count: minutes })
    : t(waits ? "breaks.overTitle" : "breaks.gateTitle", { date: day });
  usePageTitle(title);
  async function reopen(): Promise<void> {
    setBusy(true);
    await onReopen();
    setBusy(false);
  }
  return (
    <Gate
      look="dark"
      lamp="reserved"
      word={t(isForced ? "breaks.forcedLamp" : "breaks.gateLamp")}
      title={title}
      actions={
        <>
          {waits && (
            <Key big busy={busy} onClick={() => void reopen()}>
              {t("breaks.reopen")}
            </Key>
          )}
          {ways}
        </>
      }
    >
      <p>{t(isForced ? "breaks.forcedAbout" : aboutGate)}</p>
      {(isForced || closed.kind === "panic" || closed.opensAt !== undefined) && (
        <p className={css["opens"]}>
          {t("breaks.opensAgain")}
          <b>
            <bdi>{isForced ? time : `${day} ${time}`}</bdi>
          </b>
        </p>
      )}
      <dl className={css["figures"]}>
        <div>
          <dt className="plate">{t("breaks.wallet")}</dt>
          <dd>{wallet === undefined ? "–" : <Money minor={wallet} />}</dd>
        </div>
      </dl>
      {help}
    </Gate>
  );
}
