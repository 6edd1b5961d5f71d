import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { PositiveMinor } from "./money.ts";

/*
 * A provider of payments (docs/operating/payment-provider.md). The platform calls it by POST with JSON, and the provider reports by POST what becomes of
 * a payment; both are signed as Standard Webhooks 1.0 signs. The id inside the body is the payment's, the same in every repeat.
 */

/** Calls below the address of a provider. */
const PROVIDER_CALLS = ["deposit", "capture", "withdraw", "reverse", "status"] as const;
export type ProviderCall = (typeof PROVIDER_CALLS)[number];

/** How long the platform waits for an answer, ms. What comes later is no answer. */
export const PROVIDER_ANSWER_MS = 3_000;
/** A longer answer is none, and a longer report is refused. */
export const PROVIDER_BYTES_MAX = 4_096;

/** The name of a provider: of its account in the ledger, and of the way that a payment goes. */
export const ProviderName = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/));

const Movement = z.object({
  id: OwnId,
  /** ISO 4217. */
  currency: z.string(),
  /** Minor units. */
  amount: PositiveMinor,
});
const OfPlayer = z.object({
  ...Movement.shape,
  /** The platform's id of the player. */
  player: z.string(),
});

/** Bodies of the calls. */
export const ProviderRequests = {
  /** The player wants to add money. `returnUrl`: where the provider's page sends the player at its end. */
  deposit: z.object({ ...OfPlayer.shape, returnUrl: z.string() }),
  /** Takes what is authorised. */
  capture: Movement,
  /** Pays the player. */
  withdraw: OfPlayer,
  /** Gives a deposit back, whatever its state. One that never arrived is refused from then on. */
  reverse: Movement,
  /** Asks how far a payment is. */
  status: z.object({ id: OwnId }),
} as const satisfies Record<ProviderCall, z.ZodMiniType>;

/**
 * `open`: not decided. A deposit is `authorised` (reserved), `captured` (taken), `refused` (nothing was taken), `reversed` (given back by us or the
 * provider) or `chargedBack` (the player's bank took it back). A withdrawal is `paid` or `failed`.
 */
const PROVIDER_STATES = [
  "open",
  "authorised",
  "captured",
  "refused",
  "reversed",
  "chargedBack",
  "paid",
  "failed",
] as const;

/** A page of the provider: only https, or this computer. */
const PageUrl = z
  .string()
  .check(
    z.maxLength(2_000),
    z.regex(/^(https:\/\/[^\s/@\\]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?)(\/[\x21-\x7e]*)?$/),
  );

/** How far a payment is: an answer of a call, with HTTP 200, and what a provider reports. Nothing else may be in it. */
export const ProviderStatus = z.strictObject({
  ...Movement.shape,
  currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
  state: z.enum(PROVIDER_STATES),
  /** Where the player continues, while it is open. */
  url: z.optional(PageUrl),
  /** Of a refusal: words that the player reads. */
  reason: z.optional(z.string().check(z.regex(/^\S(?:[^\p{Cc}\p{Cs}]{0,198}\S)?$/u))),
});
export type ProviderStatus = z.output<typeof ProviderStatus>;

/** The answer of `status` about a payment that never arrived. */
export const NeverArrived = z.strictObject({ id: OwnId, state: z.literal("unknown") });
