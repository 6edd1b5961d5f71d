import type { Meters } from "@longarm/contract/machine";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { ComponentProps } from "react";
import { useState } from "react";
import type { TextKey } from "../../../../shared/i18n/text-key.ts";
import type { AutoplayNow } from "../../state/autoplay.ts";
import type { Cycle } from "../../state/panel.ts";
import { isStakeAbove, lockupOf } from "../../state/play-state.ts";
import type { PlayNow } from "../play-context.ts";
import { useClick, usePlay } from "../play-context.ts";
import { usePanel } from "./panel-buttons.tsx";
import { RuleMark } from "./rule-mark.tsx";
import css from "./spin-button.module.css";

/** The main button: shows the stake, stops autoplay while that plays, and opens the money sheet without credit. */
export function SpinButton() {
  const play = usePlay();
  const spin = useSpin(play);
  const { meters, online, live, phase, playable, started, rules } = useLive(play.session.state);
  const { wager } = usePanel();
  const { turning, queued, cycle } = useLive(play.session.reels);
  const auto = useLive(play.session.autoplay.state);
  const [pressed, setPressed] = useState(false);
  const ready = (online || live) && phase === "playing" && meters !== undefined && wager !== undefined;
  const free = freeOf(meters) !== undefined;
  const paid = free || meters === undefined || meters.credit >= (meters.bet ?? 1);
  const linked = online || live || !started;
  const locked = meters !== undefined && lockupOf(meters) !== undefined;
  const above = !free && isStakeAbove({ rules, meters });
  const cycles = cycle !== undefined;
  const state = stateOf({ ready, linked, locked, playable, turning, queued, cycles, above, auto: auto.on, paid });
  const letGo = (): void => setPressed(false);
  return (
    <SpinFace
      state={state}
      bet={meters === undefined ? 0 : meters.bet}
      free={freeOf(meters)}
      auto={auto}
      cycle={cycle}
      data-spin
      data-pressed={pressed || undefined}
      aria-keyshortcuts="Space"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        setPressed(true);
        spin();
      }}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onContextMenu={(event) => event.preventDefault()}
      // A pointer has pressed already when it went down; a keyboard or a screen reader only clicks.
      onClick={({ detail }) => detail === 0 && spin()}
    />
  );
}

function freeOf(meters: Meters | undefined): SpinFree | undefined {
  if (meters?.bonus) return { is: "bonus" };
  const left = meters?.freeSpins ?? 0;
  return left > 0 ? { is: "freeSpins", left } : undefined;
}

function stateOf(now: {
  readonly ready: boolean;
  readonly linked: boolean;
  readonly locked: boolean;
  readonly playable: boolean;
  readonly turning: boolean;
  readonly queued: boolean;
  readonly cycles: boolean;
  readonly above: boolean;
  readonly auto: boolean;
  readonly paid: boolean;
}): SpinState {
  if (!now.linked) return "unlinked";
  if (!now.ready) return "offline";
  if (now.locked) return "locked";
  if (!now.playable) return "unfair";
  if (now.auto) return "auto";
  if (now.queued) return "queued";
  if (now.turning) return "turning";
  if (now.cycles) return "cycle";
  if (now.above) return "above";
  return now.paid ? "ready" : "noCredit";
}

export type SpinState =
  | "ready"
  | "turning"
  | "queued"
  | "cycle"
  | "above"
  | "auto"
  | "noCredit"
  | "unfair"
  | "locked"
  | "unlinked"
  | "offline";

/** What the machine plays beside an ordinary game: there is no stake then. */
export type SpinFree = { readonly is: "bonus" } | { readonly is: "freeSpins"; readonly left: number };

type SpinFaceProps = Omit<ComponentProps<"button">, "children"> & {
  readonly state: SpinState;
  /** The stake, minor units; undefined: the machine does not say. */
  readonly bet: number | undefined;
  readonly free?: SpinFree | undefined;
  readonly auto: AutoplayNow;
  /** With the state `cycle`: what is left of the least time from game to game. */
  readonly cycle?: Cycle | undefined;
};

/** SPIN as it looks in each of its states, without behaviour. */
export function SpinFace({ state, bet, free, auto, cycle, className = "", ...button }: SpinFaceProps) {
  const { t } = useText();
  const detail = DETAILS[state];
  return (
    <button
      type="button"
      className={`${css["spin"]} ${className}`}
      data-state={state}
      data-endless={(auto.on && auto.total === undefined) || undefined}
      style={state === "cycle" ? cycleStyle(cycle) : shareStyle(auto)}
      data-free={free?.is}
      disabled={state === "offline" || state === "unlinked"}
      // Not disabled: that would drop the focus with every interruption of the link and every lockup.
      aria-disabled={UNLIT.has(state) || undefined}
      {...button}
    >
      <b>{t(wordOf(state, free))}</b>
      {detail === "games" && <span className={`num ${css["word"]}`}>{auto.left ?? "∞"}</span>}
      {detail !== "stake" && detail !== "games" && <span className={css["word"]}>{t(detail)}</span>}
      {detail === "stake" && <Stake bet={bet} free={free} />}
    </button>
  );
}

const UNLIT: ReadonlySet<SpinState> = new Set(["unfair", "locked", "above", "cycle"]);

/** What each state shows below the word: the stake, the games left, or a text. */
const DETAILS = {
  ready: "stake",
  turning: "stake",
  cycle: "stake",
  above: "play.lowerBet",
  offline: "stake",
  auto: "games",
  noCredit: "play.deposit",
  locked: "play.lockedNow",
  unlinked: "play.lost",
  unfair: "play.tooPoor",
  queued: "play.queued",
} as const satisfies Record<SpinState, TextKey | "stake" | "games">;

function wordOf(state: SpinState, free: SpinFree | undefined) {
  if (state === "auto") return "play.stop";
  if (free === undefined) return "play.spin";
  return free.is === "bonus" ? "play.spinPick" : "play.spinFree";
}

/** What a press costs: the stake, or nothing in free spins and in a bonus. Where the machine does not say it, its own screen shows it. */
function Stake({ bet, free }: { bet: number | undefined; free: SpinFree | undefined }) {
  const { t } = useText();
  if (free === undefined) {
    if (bet === undefined) return <span className={css["word"]}>{t("play.betOnScreen")}</span>;
    return <Money minor={bet} className={css["stake"] ?? ""} />;
  }
  if (free.is === "bonus") return null;
  return <span className={css["word"]}>{t("play.spinsLeft", { count: free.left })}</span>;
}

/** How much of the ring is lit: the games played of those chosen. */
function shareStyle({ left, total }: AutoplayNow): React.CSSProperties | undefined {
  if (left === undefined || total === undefined) return undefined;
  return { "--done": `${(100 * (total - left)) / total}%` } as React.CSSProperties;
}

/** The ring fills from here over what is left. */
function cycleStyle(cycle: Cycle | undefined): React.CSSProperties | undefined {
  if (cycle === undefined) return undefined;
  const { leftMs, wholeMs } = cycle;
  return { "--from": `${100 - (100 * leftMs) / wholeMs}%`, "--left": `${leftMs}ms` } as React.CSSProperties;
}

/** Autoplay, on or off. A venue that forbids it has no such button; where a market does, it stays unlit and says so. */
export function AutoButton() {
  const { t, language } = useText();
  const { session, openAutoplay, openRules } = usePlay();
  const click = useClick();
  const { on, lossLeft } = useLive(session.autoplay.state);
  const currency = useCurrency();
  const { online, limits, rules, meters } = useLive(session.state);
  const { wager } = usePanel();
  const ruled = rules?.autoplay === false;
  // Its limits are counted in stakes.
  const unsaid = meters !== undefined && meters.bet === undefined;
  if (limits?.autoplay !== true || wager === undefined || unsaid) return null;
  return (
    <button
      type="button"
      className={css["round"]}
      aria-pressed={on}
      title={t(ruled ? "play.ruleAutoplay" : "play.auto")}
      disabled={!online || meters === undefined}
      aria-disabled={ruled || undefined}
      onClick={() => {
        click("key");
        if (ruled) openRules?.();
        else if (on) session.autoplay.stop("player");
        else openAutoplay();
      }}
    >
      <span aria-hidden="true">
        <Icon name="autoplay" />
        {ruled && <RuleMark />}
      </span>
      <b>
        {on && lossLeft !== undefined
          ? t("play.autoLossLeft", { amount: moneyText(lossLeft, currency, language, true) })
          : t("play.auto")}
      </b>
    </button>
  );
}

const SPIN_VIBRATION_MS = 8;

/** Presses SPIN with sound and vibration, and opens the money sheet when there is no credit. */
export function useSpin({ session, preferences, sounds, openMoney }: PlayNow): () => void {
  return () => {
    const pressed = session.spin();
    if (pressed === "noCredit") openMoney("cashIn");
    if (pressed === "idle" || pressed === "locked") return;
    const { clickSound, muted, volume } = preferences.now.getState();
    if (clickSound && !muted) sounds.click(pressed === "stopped" ? "key" : "spin", volume);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!calm && "vibrate" in navigator) navigator.vibrate(SPIN_VIBRATION_MS);
  };
}
