import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, lineOf, listOf, PlayerRef, page, Reason, When } from "./staff-call.ts";

/** Players that one campaign may name; a rule reaches any number. */
export const CAMPAIGN_PLAYERS_MAX = 200;
/** A bonus may be claimed for so many days at most. */
export const CLAIM_DAYS_MAX = 3_650;

/** `draft`: may be changed and grants nothing. `running`: between its two instants the platform grants. */
export const CAMPAIGN_STATES = ["draft", "running", "paused", "ended"] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

const Name = Reason.check(z.maxLength(100));
/** A username or id, or a brand. */
const Word = lineOf(64);
/** From the first instant on, and before the second one. */
const span = { from: When, until: When };
const registered = z.strictObject({ is: z.literal("registered"), ...span });
/** They finished a game in a play session that began in this time; `brand`: on a machine of this brand. */
const played = z.strictObject({ is: z.literal("played"), ...span, brand: z.optional(Word) });

/** Who receives it: named players (by username or id), those who registered in this time, or those who played in it. */
export const Audience = z.discriminatedUnion("is", [
  z.strictObject({
    is: z.literal("list"),
    players: z.array(Word).check(z.minLength(1), z.maxLength(CAMPAIGN_PLAYERS_MAX)),
  }),
  registered,
  played,
]);
export type Audience = z.infer<typeof Audience>;

const ShownAudience = z.discriminatedUnion("is", [
  z.object({ is: z.literal("list"), players: z.array(PlayerRef) }),
  registered,
  played,
]);

/** What a person writes; once the campaign has started none of it changes. */
const fields = {
  name: Name,
  /** What each player gets, once, minor units. */
  amount: PositiveMinor,
  /** How long each player may claim it, days. */
  claimDays: z.int().check(z.gte(1), z.lte(CLAIM_DAYS_MAX)),
  audience: Audience,
  /** Never more than this is granted in all, minor units. */
  budget: PositiveMinor,
  startsAt: When,
  endsAt: When,
};
export const CampaignFields = z.strictObject(fields);
export type CampaignFields = z.infer<typeof CampaignFields>;

/** What would be granted if it ran now. */
export const Reach = z.object({
  /** Players of the audience. */
  matching: z.int(),
  /** Those of them who are banned, excluded or at a limit: they receive nothing. */
  keptOut: z.int(),
  /** Those who have it already. */
  given: z.int(),
  /** Those who would receive it now, as far as the budget goes. */
  players: z.int(),
  /** What that comes to, minor units. */
  amount: Minor,
  /** How many of the audience the budget does not reach. */
  beyondBudget: z.int(),
});
export type Reach = z.infer<typeof Reach>;

export const CampaignRow = z.object({
  id: OwnId,
  name: z.string(),
  state: z.enum(CAMPAIGN_STATES),
  amount: PositiveMinor,
  budget: PositiveMinor,
  startsAt: When,
  endsAt: When,
  /** Granted so far: players, and minor units. */
  players: z.int(),
  granted: Minor,
  /** Claimed of it: how often, and what the campaign has cost so far. */
  claims: z.int(),
  claimed: Minor,
  /** What can still be claimed. */
  open: Minor,
});
export type CampaignRow = z.infer<typeof CampaignRow>;

export const CampaignDetail = z.object({
  ...CampaignRow.shape,
  claimDays: z.int(),
  audience: ShownAudience,
  /** Of what was written: a start names the one that its person saw. */
  mark: z.string(),
  addedAt: When,
  addedBy: z.string(),
  startedAt: z.nullable(When),
  startedBy: z.nullable(z.string()),
  /** The second person of the start; null: none was needed. */
  signedBy: z.nullable(z.string()),
  endedAt: z.nullable(When),
  /** `staff`: a person ended it; `time`: its time is over; `budget`: what is left is less than one player gets. */
  endReason: z.nullable(z.enum(["staff", "time", "budget"])),
  /** Null once it has ended. */
  reach: z.nullable(Reach),
});
export type CampaignDetail = z.infer<typeof CampaignDetail>;

/** What one player got. */
const CampaignGrant = z.object({
  id: OwnId,
  player: PlayerRef,
  amount: PositiveMinor,
  grantedAt: When,
  expiresAt: z.nullable(When),
  claimedAt: z.nullable(When),
  state: z.enum(["open", "claimed", "expired"]),
});

const Written = actAnswer(z.object({ id: OwnId, reach: Reach }));

/** Campaigns: a bonus for each player of a group, within a budget and a time. */
export const campaignCalls = {
  campaigns: {
    method: "GET",
    path: "campaigns",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "ended", "all"]), "all") }),
    answer: listOf(CampaignRow),
    for: "promotion.see",
  },
  campaign: { method: "GET", path: "campaigns/{id}", answer: CampaignDetail, for: "promotion.see" },
  campaignGrants: {
    method: "GET",
    path: "campaigns/{id}/grants",
    query: z.strictObject(page),
    answer: listOf(CampaignGrant),
    for: "promotion.see",
  },
  /** Writes a draft. A dry run says whom it would reach. */
  addCampaign: {
    method: "POST",
    path: "campaigns/add",
    body: actBody({ ...fields, reason: Reason }),
    answer: Written,
    for: "promotion.run",
  },
  /** Changes a draft. */
  changeCampaign: {
    method: "POST",
    path: "campaigns/{id}/change",
    body: actBody({ ...fields, reason: Reason }),
    answer: Written,
    for: "promotion.run",
  },
  /** Starts a draft. A budget beyond the caller's limit of bonuses waits for a second person. */
  startCampaign: {
    method: "POST",
    path: "campaigns/{id}/start",
    body: actBody({ mark: lineOf(64), reason: Reason }),
    answer: actAnswer(z.object({ reach: Reach })),
    for: "promotion.run",
    stepUp: true,
  },
  /** Nothing is granted from the answer on; what was granted may still be claimed. */
  pauseCampaign: {
    method: "POST",
    path: "campaigns/{id}/pause",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "promotion.run",
  },
  resumeCampaign: {
    method: "POST",
    path: "campaigns/{id}/resume",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "promotion.run",
    stepUp: true,
  },
  /** For ever. A draft that is ended never starts. */
  endCampaign: {
    method: "POST",
    path: "campaigns/{id}/end",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "promotion.run",
  },
} as const satisfies Record<string, StaffCall>;
