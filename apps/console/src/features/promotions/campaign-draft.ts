import { MINOR_PER_UNIT } from "@longarm/contract/money";
import type { CampaignFields } from "@longarm/contract/staff-campaigns";
import { CAMPAIGN_PLAYERS_MAX } from "@longarm/contract/staff-campaigns";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { TextKey } from "../../shared/texts.ts";
import { amountOf } from "../../shared/ui/amount-field.tsx";
import type { Campaign } from "./campaign-view.tsx";

export const AUDIENCES = ["registered", "played", "list"] as const;
export type AudienceKind = (typeof AUDIENCES)[number];

/** What is in the fields of the form: times by the venue's wall clock. */
export type Draft = {
  readonly name: string;
  readonly amount: string;
  readonly budget: string;
  readonly days: string;
  readonly audience: AudienceKind;
  readonly names: string;
  readonly from: string;
  readonly until: string;
  /** Empty: any machine. */
  readonly brand: string;
  readonly startsAt: string;
  readonly endsAt: string;
};

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const minorText = (minor: number): string => (minor / MINOR_PER_UNIT).toFixed(2);

/** An empty form, or one that holds what a campaign says. `keepTimes`: also when it runs. */
export function draftOf(
  campaign: Campaign | undefined,
  { now, timeZone, keepTimes }: { readonly now: number; readonly timeZone: string; readonly keepTimes: boolean },
): Draft {
  const wall = (at: string) => wallOf(Date.parse(at), timeZone);
  const empty: Draft = {
    name: "",
    amount: "",
    budget: "",
    days: "7",
    audience: "registered",
    names: "",
    from: wallOf(now - WEEK_MS, timeZone),
    until: wallOf(now, timeZone),
    brand: "",
    startsAt: wallOf(now, timeZone),
    endsAt: wallOf(now + WEEK_MS, timeZone),
  };
  if (campaign === undefined) return empty;
  const { audience, amount, budget, name, claimDays } = campaign;
  return {
    ...empty,
    name,
    amount: minorText(amount),
    budget: minorText(budget),
    days: String(claimDays),
    audience: audience.is,
    ...(audience.is === "list"
      ? { names: audience.players.map(({ username }) => username).join("\n") }
      : { from: wall(audience.from), until: wall(audience.until) }),
    ...(audience.is === "played" && { brand: audience.brand ?? "" }),
    ...(keepTimes && { startsAt: wall(campaign.startsAt), endsAt: wall(campaign.endsAt) }),
  };
}

/** Names from lines and commas. */
export const namesIn = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** What is wrong in the form, by its field. */
export type Wrongs = Readonly<Partial<Record<"budget" | "until" | "endsAt" | "names", TextKey>>>;

export function wrongsOf(draft: Draft, now: number, timeZone: string): Wrongs {
  const at = (wall: string) => instantOfWall(wall, timeZone) ?? Number.NaN;
  const [amount, budget] = [amountOf(draft.amount) ?? 0, amountOf(draft.budget) ?? 0];
  return {
    ...(budget > 0 && budget < amount && { budget: "promotions.budgetWrong" as const }),
    ...(draft.audience !== "list" && at(draft.until) <= at(draft.from) && { until: "promotions.timeWrong" as const }),
    ...(at(draft.endsAt) <= now && { endsAt: "promotions.endPast" as const }),
    ...(at(draft.endsAt) <= at(draft.startsAt) && { endsAt: "promotions.timeWrong" as const }),
    ...(namesIn(draft.names).length > CAMPAIGN_PLAYERS_MAX && { names: "promotions.playersMany" as const }),
  };
}

/** What is sent; undefined: something is missing or wrong. */
export function fieldsOf(draft: Draft, now: number, timeZone: string): CampaignFields | undefined {
  const at = (wall: string): string | undefined => {
    const ms = instantOfWall(wall, timeZone);
    return ms === undefined ? undefined : new Date(ms).toISOString();
  };
  const [amount, budget] = [amountOf(draft.amount) ?? 0, amountOf(draft.budget) ?? 0];
  const [startsAt, endsAt, audience] = [at(draft.startsAt), at(draft.endsAt), audienceOf(draft, at)];
  const name = draft.name.trim();
  const isWhole = name !== "" && amount > 0 && budget > 0 && Object.keys(wrongsOf(draft, now, timeZone)).length === 0;
  if (!isWhole || startsAt === undefined || endsAt === undefined || audience === undefined) return undefined;
  return { name, amount, claimDays: Number(draft.days), audience, budget, startsAt, endsAt };
}

function audienceOf(draft: Draft, at: (wall: string) => string | undefined): CampaignFields["audience"] | undefined {
  if (draft.audience === "list") {
    const players = namesIn(draft.names);
    return players.length === 0 ? undefined : { is: "list", players };
  }
  const [from, until] = [at(draft.from), at(draft.until)];
  if (from === undefined || until === undefined) return undefined;
  if (draft.audience === "registered") return { is: "registered", from, until };
  return { is: "played", from, until, ...(draft.brand !== "" && { brand: draft.brand }) };
}

const WALL = {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

/** The venue's wall clock, as a field of day and time holds it: "2026-11-20T21:42". */
export function wallOf(ms: number, timeZone: string): string {
  const parts = timeFormat("en", { ...WALL, timeZone }).formatToParts(ms);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

/** The instant of a wall clock, ms; undefined: it says no time. Of an hour that comes twice, the first one. */
export function instantOfWall(wall: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${wall.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(wall)) return undefined;
  const ahead = (ms: number) => Date.parse(`${wallOf(ms, timeZone)}Z`) - ms;
  // The zone may be another one at the first guess than at the instant itself.
  return asUtc - ahead(asUtc - ahead(asUtc));
}
