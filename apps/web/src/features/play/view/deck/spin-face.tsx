import type { ComponentProps } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { Money } from "../../../../shared/money/money.tsx";
import type { AutoplayNow } from "../../state/autoplay/control.ts";
import css from "./spin-button.module.css";

export type SpinState =
  | "ready"
  | "turning"
  | "queued"
  | "auto"
  | "noCredit"
  | "unfair"
  | "locked"
  | "unlinked"
  | "offline";

/** What runs on the machine beside an ordinary game: nothing is staked then. */
export type SpinFree = { readonly is: "bonus" } | { readonly is: "freeSpins"; readonly left: number };

type SpinFaceProps = Omit<ComponentProps<"button">, "children"> & {
  readonly state: SpinState;
  /** The stake, minor units. */
  readonly bet: number;
  readonly free?: SpinFree | undefined;
  readonly auto: AutoplayNow;
};

/** SPIN as it looks in each of its states, without what moves it. */
export function SpinFace({ state, bet, free, auto, className = "", ...button }: SpinFaceProps) {
  const { t } = useText();
  return (
    <button
      type="button"
      className={`${css["spin"]} ${className}`}
      data-state={state}
      data-endless={(auto.on && auto.total === undefined) || undefined}
      style={shareStyle(auto)}
      data-free={free?.is}
      disabled={state === "offline" || state === "unlinked"}
      // Not disabled: that would throw the focus away with every hitch of the link and every open door.
      aria-disabled={state === "unfair" || state === "locked" || undefined}
      {...button}
    >
      <b>{t(wordOf(state, free))}</b>
      {state === "auto" && <span className={`num ${css["word"]}`}>{auto.left ?? "∞"}</span>}
      {state === "noCredit" && <span className={css["word"]}>{t("play.deposit")}</span>}
      {state === "locked" && <span className={css["word"]}>{t("play.lockedNow")}</span>}
      {state === "unlinked" && <span className={css["word"]}>{t("play.lost")}</span>}
      {state === "unfair" && <span className={css["word"]}>{t("play.tooPoor")}</span>}
      {state === "queued" && <span className={css["word"]}>{t("play.queued")}</span>}
      {STAKED.has(state) && <Stake bet={bet} free={free} />}
    </button>
  );
}

const STAKED: ReadonlySet<SpinState> = new Set(["ready", "turning", "offline"]);

function wordOf(state: SpinState, free: SpinFree | undefined) {
  if (state === "auto") return "play.stop";
  if (free === undefined) return "play.spin";
  return free.is === "bonus" ? "play.spinPick" : "play.spinFree";
}

/** What the press costs: the stake, or nothing in free spins and in a bonus. */
function Stake({ bet, free }: { bet: number; free: SpinFree | undefined }) {
  const { t } = useText();
  if (free === undefined) return <Money minor={bet} className={css["stake"] ?? ""} />;
  if (free.is === "bonus") return null;
  return <span className={css["word"]}>{t("play.spinsLeft", { count: free.left })}</span>;
}

/** How much of the ring is lit: the games played of those asked for. */
function shareStyle({ left, total }: AutoplayNow): React.CSSProperties | undefined {
  if (left === undefined || total === undefined) return undefined;
  return { "--done": `${(100 * (total - left)) / total}%` } as React.CSSProperties;
}
