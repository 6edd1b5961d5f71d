import type { ComponentProps } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { Money } from "../../../../shared/money/money.tsx";
import type { AutoplayNow } from "../../state/autoplay/control.ts";
import css from "./spin-button.module.css";

export type SpinState = "ready" | "turning" | "queued" | "auto" | "noCredit" | "unfair" | "locked" | "offline";

type SpinFaceProps = Omit<ComponentProps<"button">, "children"> & {
  readonly state: SpinState;
  /** The stake, minor units. */
  readonly bet: number;
  readonly auto: AutoplayNow;
};

/** SPIN as it looks in each of its states, without what moves it. */
export function SpinFace({ state, bet, auto, className = "", ...button }: SpinFaceProps) {
  const { t } = useText();
  return (
    <button
      type="button"
      className={`${css["spin"]} ${className}`}
      data-state={state}
      data-endless={(auto.on && auto.total === undefined) || undefined}
      style={shareStyle(auto)}
      disabled={state === "offline"}
      // Not disabled: that would throw the focus away with every hitch of the link and every open door.
      aria-disabled={state === "unfair" || state === "locked" || undefined}
      {...button}
    >
      <b>{t(state === "auto" ? "play.stop" : "play.spin")}</b>
      {state === "auto" && <span className={`num ${css["word"]}`}>{auto.left ?? "∞"}</span>}
      {state === "noCredit" && <span className={css["word"]}>{t("play.deposit")}</span>}
      {state === "locked" && <span className={css["word"]}>{t("play.lockedNow")}</span>}
      {state === "unfair" && <span className={css["word"]}>{t("play.tooPoor")}</span>}
      {state === "queued" && <span className={css["word"]}>{t("play.queued")}</span>}
      {(state === "ready" || state === "turning" || state === "offline") && (
        <Money minor={bet} className={css["stake"] ?? ""} />
      )}
    </button>
  );
}

/** How much of the ring is lit: the games played of those asked for. */
function shareStyle({ left, total }: AutoplayNow): React.CSSProperties | undefined {
  if (left === undefined || total === undefined) return undefined;
  return { "--done": `${(100 * (total - left)) / total}%` } as React.CSSProperties;
}
