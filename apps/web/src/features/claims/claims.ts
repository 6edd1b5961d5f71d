import { CODE_OK } from "@longarm/contract/call";
import { ClaimAnswer } from "@longarm/contract/http";
import { unitsToMinor } from "@longarm/contract/money";
import type { Settings } from "@longarm/contract/settings";
import type { Texts } from "@longarm/ui/i18n/texts.ts";
import type { Live } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";
import { tolerantOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { readFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { Throttle } from "../../shared/throttle/throttle.ts";

/** An amount that cannot be read does not make a claim that was given a failed one. */
const GivenAnswer = tolerantOf(ClaimAnswer);

type ClaimsDeps = {
  readonly api: ApiClient;
  readonly settings: Pick<Settings, "currency" | "discountMinBalance" | "discountBalanceCheck">;
  readonly times: ClaimTimes;
  readonly throttle: Throttle;
  readonly texts: Texts;
  readonly say: SayMessage;
  /** What the wallet can spend now, minor units; undefined until it is known. */
  readonly balance: () => number | undefined;
  /** Asks for the balance anew. */
  readonly refreshBalance: () => Promise<void>;
};

/** The discount and the bonus: each a call that moves money, so it is sent by a press only and never again by itself. */
export type Claims = {
  /** Calls under way. */
  readonly busy: Live<Readonly<Record<ClaimKind, boolean>>>;
  claim(kind: ClaimKind): Promise<void>;
};

export function createClaims(deps: ClaimsDeps): Claims {
  const { times, throttle, texts, say } = deps;
  const busy = createStore(() => ({ discount: false, bonus: false }));

  async function ask(kind: ClaimKind): Promise<void> {
    times.use(kind);
    const answer = await deps.api.read(kind, {}, GivenAnswer);
    if (!answer.ok) sayFailed(deps, kind, answer.failure);
    else if (answer.data.status === true || answer.data.code === CODE_OK)
      sayGiven(deps, kind, answer.data.Params?.amount);
    // Neither a success nor a well-formed refusal: the code decides, or the outcome is unknown.
    else sayFailed(deps, kind, readFailure(answer.data.code === undefined ? "malformed" : "refused", 200, answer.data));
    // Without an answer the money may have moved all the same: the wallet shows it.
    await deps.refreshBalance();
  }

  /** Whether the balance forbids a discount, and says so. A balance that is not known yet is requested. */
  async function isTooRich(): Promise<boolean> {
    const { discountBalanceCheck, discountMinBalance } = deps.settings;
    if (!discountBalanceCheck) return false;
    if (deps.balance() === undefined) await deps.refreshBalance();
    const { t, language } = texts.speech.getState();
    const balance = deps.balance();
    if (balance === undefined) {
      say("bad", t("app.networkError"));
      return true;
    }
    if (balance < unitsToMinor(discountMinBalance)) return false;
    const minimum = moneyText(unitsToMinor(discountMinBalance), deps.settings.currency, language, true);
    // R-5-09 quotes the English sentence with the bare number.
    const amount = language === "en" ? new Intl.NumberFormat(LOCALES.en).format(discountMinBalance) : minimum;
    say("info", t("claims.balanceTooHigh", { amount }));
    return true;
  }

  function isTooSoon(kind: ClaimKind): boolean {
    const soon = times.leftMs(kind) > 0;
    if (soon) say("info", texts.speech.getState().t("claims.tooSoon"));
    return soon;
  }

  return {
    busy,
    async claim(kind) {
      if (isTooSoon(kind)) return;
      if (busy.getState()[kind]) return;
      busy.setState({ [kind]: true });
      try {
        // While the balance was requested, another tab may have used the button.
        if (kind === "discount" && ((await isTooRich()) || isTooSoon(kind))) return;
        if (throttle(`claim ${kind}`)) await ask(kind);
      } finally {
        busy.setState({ [kind]: false });
      }
    },
  };
}

function sayGiven({ texts, say, settings }: ClaimsDeps, kind: ClaimKind, amount: number | undefined): void {
  const { t, language } = texts.speech.getState();
  const text =
    amount === undefined
      ? t(`claims.${kind}Done`)
      : t(`claims.${kind}Given`, { amount: moneyText(amount, settings.currency, language, true) });
  say("good", text, TOAST_MS);
}

/** A refusal has its text. Without a readable answer the outcome is unknown, and the message says so. */
function sayFailed({ texts, say }: ClaimsDeps, kind: ClaimKind, failure: ApiFailure): void {
  const speech = texts.speech.getState();
  if (failure.is === "unauthorised") return;
  if (failure.is === "network") say("bad", failureText(speech, failure));
  if (failure.is === "refused") say("bad", failureText(speech, failure));
  else say("info", speech.t(`claims.${kind}Unknown`));
}

const CLAIM_KINDS = ["discount", "bonus"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** When each key may be used again, ms since 1970; 0: now. */
type FreeAt = Readonly<Record<ClaimKind, number>>;

/** When this browser last used each key: it outlives a reload and counts in every tab (decision D-38). */
export type ClaimTimes = {
  readonly freeAt: Live<FreeAt>;
  /** How long a key still waits, ms; 0: it may be used. */
  leftMs(kind: ClaimKind): number;
  /** The call is being sent now. */
  use(kind: ClaimKind): void;
  /** Another tab may have used a key, or the clock was changed: looks again. */
  look(): void;
};

const KEYS = { discount: STORAGE_KEYS.discountUsed, bonus: STORAGE_KEYS.bonusUsed } as const;

/** `leastMs`: least time between two uses of one key (`claimThrottleMs` of the settings). */
export function createClaimTimes(storage: Storage, clock: { now(): number }, leastMs: number): ClaimTimes {
  function freeAtOf(kind: ClaimKind): number {
    const usedAt = Number(storage.read(KEYS[kind]) ?? Number.NaN);
    const now = clock.now();
    // A use that lies ahead means a clock that was set back; without a word of ours the key would wait for hours.
    if (usedAt > now) {
      use(kind);
      return now + leastMs;
    }
    return usedAt + leastMs > now ? usedAt + leastMs : 0;
  }
  function use(kind: ClaimKind): void {
    storage.write(KEYS[kind], String(clock.now()));
  }
  const read = (): FreeAt => ({ discount: freeAtOf("discount"), bonus: freeAtOf("bonus") });

  const freeAt = createStore<FreeAt>(read);
  function look(): void {
    freeAt.setState(read(), true);
  }
  return {
    freeAt,
    look,
    leftMs(kind) {
      look();
      return Math.max(0, freeAt.getState()[kind] - clock.now());
    },
    use(kind) {
      use(kind);
      look();
    },
  };
}
