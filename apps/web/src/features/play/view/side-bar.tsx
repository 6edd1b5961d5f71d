import { breakCalls } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { elapsedText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { Unsaid } from "@longarm/ui/unsaid.tsx";
import { useMedia } from "@longarm/ui/use-media.ts";
import { useEffect, useState } from "react";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { otherHand } from "../state/preferences.ts";
import { SheetCountdown } from "./countdown.tsx";
import { usePanel } from "./deck/panel-buttons.tsx";
import { Attendant } from "./notices.tsx";
import { useClick, usePlay } from "./play-context.ts";
import { RoomSwitch } from "./room-camera.tsx";
import css from "./side-bar.module.css";

const WIDE = "(min-width: 78.01rem) and (min-height: 31.01rem)";

/** The side bar of 240 px: on a wide screen it takes its own room, elsewhere it is a drawer over the game. */
export function SideBar({
  open,
  covered,
  onClose,
}: {
  open: boolean;
  /** Something else must be answered first: a drawer gives way to it. */
  covered: boolean;
  onClose: () => void;
}) {
  const { t } = useText();
  const wide = useMedia(WIDE);
  const { session } = usePlay();
  const [hasQuestion, setHasQuestion] = useState(false);
  function ask(): void {
    // A drawer lies over the game: no game begins below what the player writes.
    if (!wide) session.autoplay.stop("player");
    setHasQuestion(true);
  }
  const contents = hasQuestion ? (
    <Questions onBack={() => setHasQuestion(false)} onClose={onClose} />
  ) : (
    <Contents onAsk={ask} onClose={onClose} />
  );
  if (!wide) {
    return (
      <Sheet
        open={open && !covered}
        onClose={onClose}
        title={t("play.sideBar")}
        bareTitle
        form="end"
        className={css["drawer"] ?? ""}
        head={<SheetCountdown />}
      >
        {contents}
      </Sheet>
    );
  }
  if (!open) return null;
  return (
    <aside className={css["side"]} aria-label={t("play.sideBar")}>
      {contents}
    </aside>
  );
}

/** In the place of the other contents, so that it covers no more of the game than they do: the play session and its video stay as they are. */
function Questions({ onBack, onClose }: { onBack: () => void; onClose: () => void }) {
  const { t } = useText();
  const { deps } = usePlay();
  return (
    <div className={css["contents"]}>
      <div className={css["head"]}>
        <IconButton icon="back" label={t("play.backToSide")} onClick={onBack} />
        <h2>{t("play.ask")}</h2>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      {deps.questions()}
    </div>
  );
}

function Contents({ onAsk, onClose }: { onAsk: () => void; onClose: () => void }) {
  const { t, language } = useText();
  const { session, machineName, preferences, openAbout, openMoney, requestLeave } = usePlay();
  const click = useClick();
  const { online, phase, machine, meters } = useLive(session.state);
  const { services } = usePanel();
  const offered = useLive(session.attendant.state, (now) => now.offered);
  const { volume, muted, clickSound, hand } = useLive(preferences.now);
  const other = otherHand(language);
  const audible = muted ? 0 : volume;
  return (
    <div className={css["contents"]}>
      <div className={css["head"]}>
        <h2>
          <bdi>{machine?.name ?? machineName}</bdi>
        </h2>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <Facts />
      <Rules />
      <label className={css["slider"]}>
        {t("play.volume")}
        <input
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={audible}
          style={{ "--share": `${audible * 100}%` } as React.CSSProperties}
          onChange={({ target }) => preferences.change({ volume: Number(target.value), muted: false })}
        />
      </label>
      <div>
        <Switch
          label={t("play.clickSound")}
          on={clickSound}
          onChange={(on) => preferences.change({ clickSound: on })}
        />
        <Switch
          label={t("play.otherHand")}
          on={hand === other}
          onChange={(on) => preferences.change({ hand: on ? other : undefined })}
        />
        <RoomSwitch />
      </div>
      <Key icon="info" aria-haspopup="dialog" onClick={openAbout}>
        {t("play.about")}
      </Key>
      <Key icon="chat" onClick={onAsk}>
        {t("play.ask")}
      </Key>
      <Attendant />
      {services
        .filter(({ id }) => id !== "attendant" || !offered)
        .map(({ id, label }) => (
          <Key
            key={id}
            icon="player"
            disabled={!online}
            onClick={() => session.panel.press(id) === "sent" && click("key")}
          >
            {id === "attendant" ? t("play.attendant") : <bdi>{label}</bdi>}
          </Key>
        ))}
      <Key icon="cashOut" disabled={!online || (meters?.credit ?? 0) === 0} onClick={() => openMoney("cashOut")}>
        {t("play.toWallet")}
      </Key>
      <PanicKey />
      <Key kind="danger" className={css["leave"]} busy={phase === "leaving"} onClick={requestLeave}>
        {t("play.leave")}
      </Key>
    </div>
  );
}

/** Closes play for a day, or as long as the market says, with one press: the game that runs is finished first. A platform without breaks has no such key. */
function PanicKey() {
  const speech = useText();
  const { deps } = usePlay();
  const { api, say } = deps;
  const [hours, setHours] = useState<number>();
  const [state, setState] = useState<"idle" | "busy" | "begun">("idle");
  useEffect(() => {
    let gone = false;
    api.make(breakCalls.breaks).then(
      (answer) => !gone && answer.ok && setHours(answer.data.panicHours),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [api]);
  if (state === "begun") return <p role="status">{speech.t("play.panicBegun")}</p>;
  if (hours === undefined) return null;
  async function begin(): Promise<void> {
    setState("busy");
    const answer = await api.make(breakCalls.beginBreak, { body: { kind: "panic" } });
    if (!answer.ok) say("bad", failureText(speech, answer.failure));
    setState(answer.ok ? "begun" : "idle");
  }
  return (
    <Key icon="clock" busy={state === "busy"} onClick={() => void begin()}>
      {speech.t("play.panic", { hours })}
    </Key>
  );
}

/** This play session: its duration, its games, and what it cost. */
function Facts() {
  const { t } = useText();
  const { session, deps } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const wallet = useLive(deps.wallet);
  const { playSession, meters, gamesBefore, netMinor, played } = useLive(session.state);
  const games = meters === undefined || gamesBefore === undefined ? 0 : Math.max(0, meters.gamesPlayed - gamesBefore);
  const started = playSession === undefined ? now : Date.parse(playSession.startedAt);
  const pending = wallet?.pending ?? 0;
  return (
    <dl className={css["facts"]}>
      <Fact name={t("play.session")} figure>
        {elapsedText(now - started)}
      </Fact>
      <Fact name={t("play.games")} figure>
        {games}
      </Fact>
      <Fact name={t("play.freeSpins")} figure>
        {meters === undefined ? 0 : (meters.freeSpins ?? <Unsaid />)}
      </Fact>
      {played !== undefined && (
        <>
          <Fact name={t("play.checkWagered")}>
            <Money minor={played.wagered} tone="ink" />
          </Fact>
          <Fact name={t("play.checkWon")}>
            <Money minor={played.won} tone="ink" />
          </Fact>
        </>
      )}
      {netMinor !== undefined && (
        <Fact name={t("play.net")}>
          <Money minor={netMinor} signed tone="ink" />
        </Fact>
      )}
      <Fact name={t("play.wallet")}>{wallet !== undefined && <Money minor={wallet.balance} />}</Fact>
      {pending > 0 && (
        <Fact name={t("play.pending")}>
          <Money minor={pending} />
        </Fact>
      )}
    </dl>
  );
}

/** The rules that hold at this machine. */
function Rules() {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const rules = useLive(session.state, (state) => state.rules);
  if (rules === undefined) return null;
  const { minCycleMs, maxStake, autoplay, check } = rules;
  const seconds = (minCycleMs / 1_000).toLocaleString(LOCALES[language]);
  const sentences = [
    !autoplay && t("play.ruleAutoplay"),
    minCycleMs > 0 && t("play.ruleCycle", { seconds }),
    maxStake !== undefined && t("play.ruleStake", { amount: moneyText(maxStake, currency, language, true) }),
    check.everyMin !== null && t("play.ruleCheck", { minutes: check.everyMin }),
  ].filter((sentence) => typeof sentence === "string");
  if (sentences.length === 0) return null;
  return (
    <section className={css["rules"]} data-rules>
      <h3 className="plate">{t("play.rulesHere")}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Icon name="rule" />
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fact({ name, figure = false, children }: { name: string; figure?: boolean; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      {figure ? (
        <dd className="num" dir="ltr">
          {children}
        </dd>
      ) : (
        <dd>{children}</dd>
      )}
    </div>
  );
}
