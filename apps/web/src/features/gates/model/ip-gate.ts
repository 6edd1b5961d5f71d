import { CheckAnswer } from "@longarm/contract/http";
import type * as z from "zod/mini";
import { safeParse } from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { Texts } from "../../../shared/i18n/texts.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { Log } from "../../../shared/log/log.ts";

/** What the gate knows (specification section 3). `message` says why the way is shut. */
export type IpGateState = {
  readonly ipChecking: boolean;
  readonly ipCheckState: { readonly isAllowed: boolean; readonly message: string };
  /** Country and address that the message names; undefined when the check itself failed. */
  readonly found: { readonly country: string; readonly ip: string } | undefined;
};

export type IpGate = {
  readonly state: Live<IpGateState>;
  /** Asks, again if need be. */
  check(): Promise<void>;
};

export type IpGateDeps = {
  readonly fetch: typeof fetch;
  /** The API base, ending in a slash. */
  readonly base: URL;
  readonly texts: Texts;
  /** The browser's own alert: it stops the page until it is read. */
  readonly alert: (text: string) => void;
  readonly log: Log;
};

/** How long the check may take before it counts as unanswered, ms. */
const CHECK_MS_MAX = 15_000;

export function createIpGate({ fetch, base, texts, alert, log }: IpGateDeps): IpGate {
  const state = createStore<IpGateState>(() => ({
    ipChecking: true,
    ipCheckState: { isAllowed: false, message: "" },
    found: undefined,
  }));
  const speech = () => texts.speech.getState();

  async function ask(): Promise<z.output<typeof CheckAnswer> | undefined> {
    const response = await fetch(new URL("../check", base), {
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: AbortSignal.timeout(CHECK_MS_MAX),
    });
    if (response.status !== 200) throw new Error(`The check was answered with ${response.status}`);
    const read = safeParse(CheckAnswer, await response.json());
    if (!read.success) throw new Error("The check's answer is none that the contract knows");
    return read.data;
  }

  return {
    state,
    async check() {
      state.setState({ ipChecking: true, ipCheckState: { isAllowed: false, message: "" }, found: undefined });
      const answer = await ask().catch((error: unknown) => {
        log("The address could not be checked.", error);
        return undefined;
      });
      if (answer === undefined) {
        const message = speech().t("gates.checkFailed");
        alert(message);
        state.setState({ ipChecking: false, ipCheckState: { isAllowed: false, message } });
        return;
      }
      const isAllowed = ([true, 1, "allowed"] as unknown[]).includes(answer.status);
      const found = { country: answer.country || speech().t("gates.unknownCountry"), ip: answer.ip || "?" };
      const message = isAllowed ? "" : speech().t("gates.blocked", found);
      state.setState({ ipChecking: false, ipCheckState: { isAllowed, message }, found });
    },
  };
}
