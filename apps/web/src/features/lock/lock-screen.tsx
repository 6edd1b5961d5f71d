import type { Timers } from "@longarm/link/socket";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { LogoMark } from "@longarm/ui/logo.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { hasPasskeys } from "@longarm/ui/passkeys.ts";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useEffect, useRef, useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { confirmByPasskey } from "../../shared/passkeys/confirm.ts";
import type { Lock, LockProblem } from "./lock.ts";
import { PAUSE_MS_MAX } from "./lock.ts";
import css from "./lock-screen.module.css";
import { PinDots, PinPad } from "./pin-pad.tsx";

/** A PIN is not longer. */
const DIGITS_MAX = 12;
/** The shortest PIN: from here on what is typed is compared where the page compares it, so that the last digit opens the screen. */
const DIGITS_MIN = 4;

type LockScreenProps = {
  readonly lock: Lock;
  /** The operator's hint to the default PIN, or empty. */
  readonly hint: string;
  readonly clock: { now(): number };
  readonly timers: Timers;
};

/** The idle lock: it is all that the page shows while it is on. */
export function LockScreen({ lock, hint, clock, timers }: LockScreenProps) {
  const speech = useText();
  const { t } = speech;
  const state = useLive(lock.state);
  const input = useRef<HTMLInputElement>(null);
  const { wrong, until, busy, problem } = state.is === "locked" ? state : CALM;
  const [typed, setTyped] = useState({ digits: "", after: wrong });
  // What was judged wrong is gone.
  const digits = typed.after === wrong ? typed.digits : "";
  const pause = Math.min(useSecondsLeft(until, clock, timers), PAUSE_MS_MAX / 1_000);

  usePageTitle(t("lock.LOCKED"));
  // The one place that takes keys: whatever had the focus is gone with the page behind.
  useEffect(() => input.current?.focus(), []);
  function type(next: string): void {
    const more = next.replace(/\D/g, "").slice(0, DIGITS_MAX);
    if (busy || pause > 0 || more === digits) return;
    // What was long enough was compared already: taking a digit back, or writing another over it, is a try.
    const isCompared = !lock.isJudgedByPlatform();
    const isTakenBack = isCompared && digits.length >= DIGITS_MIN && !more.startsWith(digits);
    if (isTakenBack) lock.countWrong();
    else setTyped({ digits: more, after: wrong });
    if (isCompared && !isTakenBack && more.length >= DIGITS_MIN) void lock.tryPin(more, true);
  }
  function submit(): void {
    if (digits !== "") void lock.tryPin(digits);
  }
  useTypingAnywhere(input);

  const trouble = troubleText(speech, wrong, problem);
  return (
    <main className={css["locked"]} data-palette="night">
      <div className={css["behind"]} aria-hidden="true" />
      <div className={css["box"]} role="dialog" aria-modal="true" aria-labelledby="lock-title">
        <div className={css["words"]}>
          <LogoMark className={css["mark"] ?? ""} />
          <h1 id="lock-title">{t("lock.LOCKED")}</h1>
          <p id="lock-text">{t("lock.idleDesc")}</p>
        </div>
        <form
          className={css["entry"]}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <PinDots input={input} digits={digits} wrong={wrong} onType={type} disabled={pause > 0} />
          <p className={css["note"]} role="status" id="lock-note" data-bad={wrong > 0 || undefined}>
            {pause > 0 ? t("lock.pause", { count: pause }) : trouble || hint}
          </p>
          <PinPad
            onDigit={(digit) => type(digits + digit)}
            onErase={() => type(digits.slice(0, -1))}
            canSubmit={digits.length > 0}
            busy={busy}
            disabled={pause > 0}
          />
        </form>
        <div className={css["ways"]}>
          {lock.hasPasskey() && hasPasskeys() && (
            <Key
              kind="line"
              icon="passkey"
              busy={busy}
              disabled={pause > 0}
              onClick={() => void lock.letPlatformJudge(byPasskey)}
            >
              {t("lock.passkey")}
            </Key>
          )}
          <Key kind="bare" icon="logout" className={css["logout"]} onClick={() => lock.logOut()}>
            {t("lock.logout")}
          </Key>
        </div>
      </div>
    </main>
  );
}

function troubleText(speech: Speech, wrong: number, problem: LockProblem | undefined): string {
  if (problem === "noPasskey") return speech.t("lock.passkeyNot");
  if (problem !== undefined) return failureText(speech, problem);
  return wrong > 0 ? speech.t("lock.wrong") : "";
}

async function byPasskey(api: Parameters<typeof confirmByPasskey>[0]) {
  const by = await confirmByPasskey(api, "unlock");
  if ("passkey" in by) return by;
  return { problem: "failure" in by ? by.failure : ("noPasskey" as const) };
}

const CALM = { wrong: 0, until: 0, busy: true, problem: undefined } as const;

/** Digits go to the PIN wherever the focus is. */
function useTypingAnywhere(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (/^\d$/.test(event.key) || event.key === "Backspace") input.current?.focus();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, [input]);
}
