import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { LoginAnswer } from "./http.ts";
import { Proof } from "./player-keys.ts";

const When = z.iso.datetime({ offset: true }).check(z.maxLength(40));

/**
 * Where an issuer sends a browser back to, on the origin of the page that it left: this path, or below it the issuer's name. The page there hands the
 * answer, and that name, to `openIdLogin` or `openIdFinish`.
 */
export const OPENID_PATH = "/callback";

/** What the operator calls an issuer. */
export const IssuerName = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/));

/** Where every issuer reports that a person was signed out there (OpenID Connect Back-Channel Logout 1.0): a form with `logout_token`. */
export const OPENID_LOGOUT_PATH = "v1/login/openid/logout";

/** What a signed-in player does at the issuer: links the person there with the account, or confirms a change by signing in anew. */
export const OPENID_ACTS = ["link", "confirm"] as const;
export type OpenIdAct = (typeof OPENID_ACTS)[number];

/** Where a browser goes. `secret` stays in the page until it is back, in no address; it is good for one answer within ten minutes. */
const ToIssuer = z.object({
  href: z.url({ protocol: /^https?$/ }).check(z.maxLength(8_000)),
  secret: z.string().check(z.maxLength(100)),
});
/** `answer`: what the issuer put behind the `#` or `?` of its address. `issuer`: the name in that address; absent: it was `OPENID_PATH` itself. */
const fromIssuer = {
  issuer: z.optional(IssuerName),
  secret: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
  answer: z.string().check(z.minLength(1), z.maxLength(8_000)),
};

/** How the page shows an issuer. */
const ShownIssuer = z.object({
  name: IssuerName,
  /** What players know it by. */
  label: z.string(),
  /** Its icon, a path on the platform's origin; null: it has none. */
  icon: z.nullable(z.string()),
});
export type ShownIssuer = z.output<typeof ShownIssuer>;

const linked = {
  /** Null: the player has no link there. */
  link: z.nullable(
    z.object({
      /** As the issuer named the person at the last sign-in. */
      name: z.string(),
      linkedAt: When,
      /** Null: never. */
      usedAt: z.nullable(When),
    }),
  ),
  /** The link cannot be removed: nothing else would sign in. */
  keepsLast: z.boolean(),
};
const PlayersIssuer = z.object({ ...ShownIssuer.shape, ...linked });
export type PlayersIssuer = z.output<typeof PlayersIssuer>;

/** A player's links. `label`, `link` and `keepsLast` are those of the first issuer, for pages that know one. */
export const PlayerOpenId = z.object({
  label: z.string(),
  ...linked,
  /** Every issuer, in the operator's order. Absent in an older platform, which has one. */
  issuers: z.optional(z.array(PlayersIssuer)),
  /** Until when it may be changed without a proof; null: a proof is needed. */
  freshUntil: z.nullable(When),
});
export type PlayerOpenId = z.output<typeof PlayerOpenId>;

/** Signing in with issuers of OpenID Connect. Without one all but the first answer 404; so does a name that no issuer has. No name: the first issuer. */
export const openIdCalls = {
  /** How a visitor may sign in beside name and password. */
  signInWays: {
    method: "GET",
    path: "login/ways",
    answer: z.object({
      /** The first issuer, for pages that know one; null: with no issuer. */
      openId: z.nullable(z.object({ label: z.string() })),
      /** Every issuer, in the operator's order. Absent in an older platform, which has one at most. */
      issuers: z.optional(z.array(ShownIssuer)),
      /** A code by e-mail replaces a forgotten password. Absent: staff does. */
      reset: z.optional(z.boolean()),
    }),
    open: true,
  },
  openIdBegin: {
    method: "POST",
    path: "login/openid/begin",
    body: z.strictObject({ issuer: z.optional(IssuerName) }),
    answer: ToIssuer,
    open: true,
  },
  openIdLogin: {
    method: "POST",
    path: "login/openid",
    body: z.strictObject({ ...fromIssuer, site_id: z.union([z.int(), z.string().check(z.maxLength(100))]) }),
    answer: LoginAnswer,
    open: true,
  },
  openId: { method: "GET", path: "player/openid", answer: PlayerOpenId },
  /** `link` takes a proof where the sign-in is not fresh; `confirm` is one. */
  openIdAct: {
    method: "POST",
    path: "player/openid/begin",
    body: z.strictObject({ act: z.enum(OPENID_ACTS), proof: Proof, issuer: z.optional(IssuerName) }),
    answer: ToIssuer,
  },
  openIdFinish: {
    method: "POST",
    path: "player/openid",
    body: z.strictObject(fromIssuer),
    answer: z.object({ ...PlayerOpenId.shape, did: z.enum(OPENID_ACTS) }),
  },
  /** Ends the sign-ins that the issuer made, but for the caller's. */
  openIdRemove: {
    method: "POST",
    path: "player/openid/remove",
    body: z.strictObject({ proof: Proof, issuer: z.optional(IssuerName) }),
    answer: PlayerOpenId,
  },
} as const satisfies Record<string, Call>;
