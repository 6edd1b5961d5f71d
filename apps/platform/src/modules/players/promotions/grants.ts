import { PositiveMinor } from "@longarm/contract/money";
import type { CampaignState } from "@longarm/contract/staff-campaigns";
import type { ColumnType, Generated, JSONColumnType, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayedIn } from "../../play/seat/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import type { PlayersTables } from "../accounts/index.ts";

/** Set and judged by the database's clock. */
type Instant = ColumnType<Date, RawBuilder<Date>, never>;

/** Tables of claims (`migrations/platform/0004-promotions`). Amounts in minor units. */
export type PromotionsTables = Pick<PlayersTables, "player"> &
  Pick<PlayTables, "play_session"> & {
    discount_claim: {
      player_id: string;
      number: number;
      amount: number;
      percent: number;
      loss_counted: number;
      transfer_id: string;
      claimed_at: Instant;
    };
    bonus_grant: {
      id: string;
      player_id: string;
      amount: number;
      reason: string;
      granted_by: string;
      granted_at: Generated<Date>;
      expires_at: ColumnType<Date | null, RawBuilder<Date> | null, never>;
      claimed_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
      transfer_id: string | null;
      /** Null: a person granted it by hand. */
      campaign_id: string | null;
    };
    campaign: CampaignTable;
  };

/** `migrations/campaigns`. Amounts in minor units. */
type CampaignTable = {
  id: string;
  name: string;
  amount: number;
  claim_days: number;
  audience: JSONColumnType<KeptAudience>;
  budget: number;
  starts_at: ColumnType<Date, Date | string, Date | string>;
  ends_at: ColumnType<Date, Date | string, Date | string>;
  state: ColumnType<CampaignState, never, CampaignState>;
  added_at: ColumnType<Date, never, never>;
  added_by: string;
  started_at: ColumnType<Date | null, never, RawBuilder<Date>>;
  started_by: ColumnType<string | null, never, string>;
  signed_by: ColumnType<string | null, never, string | null>;
  ended_at: ColumnType<Date | null, never, RawBuilder<Date>>;
  reason: string;
  end_reason: ColumnType<EndReason | null, never, EndReason>;
  players: ColumnType<number, never, RawBuilder<number>>;
  granted: ColumnType<number, never, RawBuilder<number>>;
  changed_at: ColumnType<Date, never, never>;
};
/** Why a campaign ended: a person, its time, or its budget. */
export type EndReason = "staff" | "time" | "budget";
/** As it is kept: players by their ids. */
export type KeptAudience =
  | { readonly is: "list"; readonly players: readonly string[] }
  | { readonly is: "registered"; readonly from: string; readonly until: string }
  | ({ readonly is: "played" } & PlayedIn);

const plain = (most: number) =>
  z.string().check(
    z.minLength(1, "must not be empty"),
    z.maxLength(most, `must have at most ${most} characters`),
    z.refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be plain text of one line"),
    z.refine((text) => text.trim() === text, "must not begin or end with a space"),
  );

/** A bonus that staff gives to a player. */
export const BonusGrant = z.strictObject({
  playerId: z.string(),
  /** Minor units, 1 to 9,000,000,000,000. */
  amountMinor: PositiveMinor,
  /** Why: kept with the transfer for ever. 1 to 200 characters. */
  reason: plain(200),
  /** Who gives it. 1 to 64 characters. */
  grantedBy: plain(64),
  /** How long it may be claimed, days, 1 to 3650; absent: for ever. */
  days: z.optional(z.int().check(z.gte(1), z.lte(3_650))),
});
export type BonusGrant = z.input<typeof BonusGrant>;

export type Granted =
  | { readonly is: "granted"; readonly id: string }
  | { readonly is: "refused"; readonly sentence: string };

type Db = Kysely<PromotionsTables>;

/** What is wrong with a grant, as one sentence; null: nothing. */
export function grantProblem(wanted: BonusGrant): string | null {
  const read = z.safeParse(BonusGrant, wanted);
  if (read.success) return null;
  return read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join(", ");
}

/** Opens a grant. No money moves before the player claims it. */
export async function grantBonus(db: Db, random: Random, wanted: BonusGrant): Promise<Granted> {
  const sentence = grantProblem(wanted);
  if (sentence !== null) return { is: "refused", sentence };
  const id = newId(random, "bg");
  await db
    .insertInto("bonus_grant")
    .values({
      id,
      player_id: wanted.playerId,
      amount: wanted.amountMinor,
      reason: wanted.reason,
      granted_by: wanted.grantedBy,
      expires_at:
        wanted.days === undefined ? null : sql<Date>`${databaseNow()} + make_interval(days => ${wanted.days})`,
    })
    .execute();
  return { is: "granted", id };
}

/** The sum of what somebody has granted by hand since then, minor units. */
export async function grantedSince(db: Db, grantedBy: string, since: Date): Promise<number> {
  const { sum } = await db
    .selectFrom("bonus_grant")
    .select(sql<number>`coalesce(sum(amount), 0)::bigint`.as("sum"))
    .where("granted_by", "=", grantedBy)
    .where("campaign_id", "is", null)
    .where("granted_at", ">=", since)
    .executeTakeFirstOrThrow();
  return sum;
}

export type GrantsWanted = {
  readonly playerId?: string | undefined;
  readonly campaignId?: string | undefined;
  /** Beyond the grant of this id. */
  readonly after?: string | undefined;
  /** Only those that can be claimed now. */
  readonly openOnly?: boolean;
  /** Most rows, from 1. */
  readonly limit: number;
};

/** Grants, newest first. */
export async function listGrants(db: Db, { playerId, campaignId, after, openOnly = false, limit }: GrantsWanted) {
  const isOpen = sql<boolean>`claimed_at is null and (expires_at is null or expires_at > ${databaseNow()})`;
  return await db
    .selectFrom("bonus_grant")
    .innerJoin("player", "player.id", "bonus_grant.player_id")
    .select(["bonus_grant.id", "player_id", "username", "amount", "reason", "granted_by", "granted_at", "expires_at"])
    .select(["claimed_at", "campaign_id"])
    .select(
      sql<"open" | "claimed" | "expired">`case when claimed_at is not null then 'claimed' when ${isOpen} then 'open'
        else 'expired' end`.as("state"),
    )
    .$if(playerId !== undefined, (query) => query.where("player_id", "=", playerId ?? ""))
    .$if(campaignId !== undefined, (query) => query.where("campaign_id", "=", campaignId ?? ""))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(granted_at, bonus_grant.id) < (select granted_at, id from bonus_grant where id = ${after ?? ""})`,
      ),
    )
    .$if(openOnly, (query) => query.where(isOpen))
    .orderBy("granted_at", "desc")
    .orderBy("bonus_grant.id", "desc")
    .limit(limit)
    .execute();
}
