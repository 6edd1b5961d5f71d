import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { useState } from "react";
import { CallProblem } from "../api.ts";
import { problemText } from "../problem-text.ts";
import type { TextKey } from "../texts.ts";

/** Why a call or a passkey gave nothing, in words. @throws what is neither. */
export function failureText(speech: Speech, error: unknown): string {
  if (error instanceof CallProblem) return problemText(speech, error);
  if (error instanceof PasskeyEnded) return speech.t(`problem.passkey_${error.why}` as TextKey);
  throw error;
}

/** A try with a passkey: begun by a press, because browsers want one; it may be begun again after it failed. */
export function usePasskeyTry(work: () => Promise<void>) {
  const speech = useText();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function run(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  }
  return {
    busy,
    failure: error === undefined ? undefined : failureText(speech, error),
    start: () => void run(),
  };
}
