/* What both sides of a payment name alike. Without schemas: the console loads it at its start. */

export const PAYMENT_KINDS = ["deposit", "withdrawal"] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/**
 * `requested`: nothing has moved. A deposit is `authorised`, then `captured`: in the wallet. A withdrawal is perhaps `inReview` and `approved`, then `sent`
 * to a provider and `paid`. `failed`: the provider could not pay, the money is in the wallet again. `reversed`, `chargedBack`: captured money went back.
 */
export const PAYMENT_STATES = [
  ...(["requested", "authorised", "captured", "inReview", "approved", "sent", "paid"] as const),
  ...(["refused", "cancelled", "expired", "failed", "reversed", "chargedBack"] as const),
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Nothing is decided yet: of a withdrawal the money is held. */
export const OPEN_PAYMENTS = [
  "requested",
  "authorised",
  "inReview",
  "approved",
  "sent",
] as const satisfies readonly PaymentState[];

/**
 * What a payment waits for, as staff sees it. `desk`: its player at the desk. `player`: its player at the provider's page. `review`: somebody who approves
 * it. `secondPerson`: a second signature. `provider`: the provider's answer; `silent`: the same, and there is none. `givingBack`: the provider gives it back.
 * `dispute`: a look at money of the same player that went back. `person`: a look at this one (`trouble`).
 */
export const PAYMENT_WAITS = [
  ...(["desk", "player", "review", "secondPerson", "provider", "silent", "givingBack", "dispute", "person"] as const),
] as const;
export type PaymentWait = (typeof PAYMENT_WAITS)[number];

/** The way that each platform with a cage has: a cashier types the player's code. */
export const DESK = "desk";

/** Signs of a code: no letter that looks like a figure or like another letter. Their number is a prime, as the check needs. */
const SIGNS = "0123456789ACDEFHJKMNPQRTUVWXY";
/** Different for each place: one wrong sign, or two that changed places, never give a good code. The last sign is the check. */
const WEIGHTS = [2, 3, 4, 5, 6, 1] as const;
export const CODE_LENGTH = WEIGHTS.length;

const sumOf = (signs: readonly number[]): number =>
  signs.reduce((sum, sign, place) => sum + sign * (WEIGHTS[place] ?? 0), 0) % SIGNS.length;

/** A code of five chosen numbers, each by its remainder, with its check. */
export function codeOf(chosen: readonly number[]): string {
  const signs = chosen.slice(0, CODE_LENGTH - 1).map((number) => number % SIGNS.length);
  return [...signs, (SIGNS.length - sumOf(signs)) % SIGNS.length].map((sign) => SIGNS[sign]).join("");
}

/** A code as a person types it, small or with spaces; null: it is none. */
export function readCode(typed: string): string | null {
  const code = typed.slice(0, 40).replaceAll(/[\s-]/g, "").toUpperCase();
  const signs = Array.from(code, (sign) => SIGNS.indexOf(sign));
  if (signs.length !== CODE_LENGTH || signs.includes(-1)) return null;
  return sumOf(signs) === 0 ? code : null;
}
