import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { useState } from "react";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { refusalText } from "../../../shared/money/refusal-text.ts";
import type { QueueDeps } from "../queue-deps.ts";

/** One act on places at a time: which one is under way, and what starts it. A refusal is shown as a message, unless `onRefused` shows it. */
export function useAct(deps: QueueDeps) {
  const speech = useText();
  const currency = useCurrency();
  const [busy, setBusy] = useState<string>();
  async function act(
    name: string,
    run: () => Promise<ApiFailure | undefined>,
    {
      done,
      onRefused,
    }: { readonly done?: string; readonly onRefused?: (text: string, failure: ApiFailure) => void } = {},
  ): Promise<void> {
    if (busy !== undefined) return;
    setBusy(name);
    const failure = await run();
    setBusy(undefined);
    if (failure === undefined) {
      if (done !== undefined) deps.say("good", done);
      return;
    }
    const { code, params } = failure;
    const refusal = code === undefined ? undefined : refusalText(speech, { code, ...(params && { params }) }, currency);
    const text = refusal ?? failureText(speech, failure);
    if (onRefused === undefined) deps.say("bad", text);
    else onRefused(text, failure);
  }
  return { busy, act };
}
