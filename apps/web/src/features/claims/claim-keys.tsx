import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useEffect, useId, useState } from "react";
import css from "./claim-keys.module.css";
import type { ClaimKind, Claims, ClaimTimes } from "./claims.ts";

export type ClaimKeysProps = {
  readonly settings: Pick<Settings, "autoDiscount" | "autoBonus">;
  readonly claims: Claims;
  readonly times: ClaimTimes;
  readonly timers: Timers;
};

/** Discount and bonus, each only with its flag. */
export function ClaimKeys({ settings, ...key }: ClaimKeysProps) {
  const { times } = key;
  useEffect(() => {
    // Another tab of this browser may have used a key.
    addEventListener("storage", times.look);
    return () => removeEventListener("storage", times.look);
  }, [times]);
  const kinds = [settings.autoDiscount && "discount", settings.autoBonus && "bonus"] as const;
  return kinds.map((kind) => kind && <ClaimKey key={kind} kind={kind} {...key} />);
}

function ClaimKey(props: Omit<ClaimKeysProps, "settings"> & { readonly kind: ClaimKind }) {
  const { kind, claims } = props;
  const { t } = useText();
  const id = useId();
  const seconds = useSecondsLeft(props);
  const busy = useLive(claims.busy, (now) => now[kind]);
  return (
    <>
      <Key
        className={css["key"]}
        data-waiting={seconds > 0 || undefined}
        // Busy or waiting, it still answers a press: it says why nothing is sent.
        aria-busy={busy || undefined}
        title={t(`claims.${kind}`)}
        aria-describedby={seconds > 0 ? id : undefined}
        onClick={() => void claims.claim(kind)}
      >
        {seconds === 0 && <Icon name={kind} />}
        {seconds > 0 && (
          <span className={`num ${css["seconds"]}`} aria-hidden="true">
            {clockText(seconds)}
          </span>
        )}
        <span className={css["label"]}>{t(`claims.${kind}`)}</span>
      </Key>
      {seconds > 0 && (
        <span id={id} className="visually-hidden">
          {t("claims.secondsLeft", { seconds })}
        </span>
      )}
    </>
  );
}

/** Whole seconds until the key may be used again, anew with each of them. */
function useSecondsLeft({ times, timers, kind }: Omit<ClaimKeysProps, "settings"> & { kind: ClaimKind }): number {
  const freeAt = useLive(times.freeAt, (all) => all[kind]);
  const [seconds, setSeconds] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new use starts the count anew.
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      const leftMs = times.leftMs(kind);
      setSeconds(Math.ceil(leftMs / 1_000));
      if (leftMs > 0) stop = timers.after(((leftMs - 1) % 1_000) + 1, tick);
    };
    tick();
    return () => stop();
  }, [times, timers, kind, freeAt]);
  return seconds;
}

/** Seconds alone where two figures do, else minutes and seconds. */
function clockText(seconds: number): string {
  if (seconds < 100) return String(seconds);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
