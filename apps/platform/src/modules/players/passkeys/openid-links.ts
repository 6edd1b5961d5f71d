import { createHash } from "node:crypto";
import type { OpenIdAct } from "@longarm/contract/player-openid";
import { OPENID_PATH } from "@longarm/contract/player-openid";
import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Issuer, IssuersPerson } from "../../../openid.ts";
import type { Random } from "../../../random.ts";
import type { Signed, Within } from "./ceremonies.ts";
import { lockedKeys } from "./ceremonies.ts";
import type { PasskeyTables } from "./tables.ts";

/** A person has so long to sign in at the issuer, ms. */
const ATTEMPT_MS = 600_000;
const SECRET_BYTES = 32;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

type Db = Kysely<PasskeyTables>;
export type OpenIdLink = Selectable<PasskeyTables["player_openid_link"]>;

/** What the browser was sent for: a change of this sign-in, or a new one. */
type Purpose = { readonly act: OpenIdAct; readonly whose: Signed } | undefined;

type OpenIdDeps = { readonly db: Db; readonly random: Random; readonly issuer: Issuer };

/** Sends browsers to the issuer, and takes what they bring back, each once. */
function createVisits({ db, random, issuer }: OpenIdDeps) {
  return {
    /**
     * `secret` is kept by the page alone. A change is confirmed by signing in anew there; a sign-in also counts where the issuer knows the browser.
     * @throws IssuerFailed.
     */
    async begin(origin: string, purpose: Purpose): Promise<{ readonly secret: string; readonly href: string }> {
      const secret = random.bytes(SECRET_BYTES).toString("base64url");
      const redirectUri = origin + OPENID_PATH;
      const anew = purpose !== undefined;
      const href = await issuer.addressFor({ secret, redirectUri, anew, inFragment: true });
      await db.deleteFrom("player_openid_attempt").where("expires_at", "<", databaseNow()).execute();
      await db
        .insertInto("player_openid_attempt")
        .values({
          browser_sha256: sha256(secret),
          act: purpose?.act ?? null,
          player_id: purpose?.whose.playerId ?? null,
          jti: purpose?.whose.jti ?? null,
          redirect_uri: redirectUri,
          expires_at: databaseIn(ATTEMPT_MS),
        })
        .execute();
      return { secret, href };
    },

    /**
     * Who is back, and for which act. Whatever comes of it, the attempt is over. Undefined: no attempt of this secret and this sign-in waits.
     * @throws IssuerFailed.
     */
    async answered(
      { secret, answer }: { readonly secret: string; readonly answer: string },
      whose: Signed | undefined,
    ): Promise<{ readonly act: OpenIdAct | null; readonly person: IssuersPerson } | undefined> {
      const row = await db
        .deleteFrom("player_openid_attempt")
        .where("browser_sha256", "=", sha256(secret))
        .returning(["act", "player_id", "jti", "redirect_uri"])
        .returning((eb) => eb("expires_at", ">", databaseNow()).as("waits"))
        .returning(sql<number>`ceil(extract(epoch from clock_timestamp() - began_at))::int`.as("ageS"))
        .executeTakeFirst();
      if (row === undefined || !row.waits) return undefined;
      if (row.player_id !== (whose?.playerId ?? null) || row.jti !== (whose?.jti ?? null)) return undefined;
      const { act, redirect_uri: redirectUri, ageS } = row;
      const anewS = act === null ? undefined : ageS;
      return { act, person: await issuer.personOf({ secret, redirectUri, answer, anewS }) };
    },
  };
}

/** Players' links with the issuer. */
export function createOpenId(deps: OpenIdDeps) {
  const { db, issuer } = deps;
  return {
    ...createVisits(deps),
    label: issuer.label,

    /** The player whom this person is, and notes that the link was used; undefined: none. */
    async playerOf({ issuer: by, subject, name }: IssuersPerson): Promise<string | undefined> {
      const row = await db
        .updateTable("player_openid_link")
        .set({ name, last_used_at: databaseNow() })
        .where("issuer", "=", by)
        .where("subject", "=", subject)
        .returning("player_id")
        .executeTakeFirst();
      return row?.player_id;
    },

    /** The player whose sign-ins the issuer ended, and when; undefined: it is none of ours. @throws IssuerFailed. */
    async loggedOut(token: string): Promise<{ readonly playerId: string; readonly at: Date } | undefined> {
      const { issuer: by, subject, at } = await issuer.logoutOf(token);
      const row = await db
        .selectFrom("player_openid_link")
        .select("player_id")
        .where("issuer", "=", by)
        .where("subject", "=", subject)
        .executeTakeFirst();
      return row && { playerId: row.player_id, at };
    },

    of: (playerId: string): Promise<OpenIdLink | undefined> =>
      db.selectFrom("player_openid_link").selectAll().where("player_id", "=", playerId).executeTakeFirst(),

    link: (playerId: string, person: IssuersPerson, first: Within) =>
      db.transaction().execute(async (trx) => {
        await first(trx);
        return await linkOpenId(trx, playerId, person);
      }),

    /** "last": nothing else signs the player in. */
    unlink: (playerId: string, hasPassword: boolean, first: Within) =>
      db
        .transaction()
        .execute(async (trx): Promise<"removed" | "unknown" | "last"> => {
          await first(trx);
          const passkeys = await lockedKeys(trx, playerId);
          const removed = await trx
            .deleteFrom("player_openid_link")
            .where("player_id", "=", playerId)
            .executeTakeFirst();
          if (removed.numDeletedRows === 0n) return "unknown";
          if (hasPassword || passkeys.length > 0) return "removed";
          throw new LastWay();
        })
        .catch((error: unknown) => {
          if (error instanceof LastWay) return "last" as const;
          throw error;
        }),
  };
}
export type OpenId = ReturnType<typeof createOpenId>;

class LastWay extends Error {}

/** False: the player or the person has a link already. */
export async function linkOpenId(trx: Db, playerId: string, person: IssuersPerson): Promise<boolean> {
  const { issuer, subject, name } = person;
  const linked = await trx
    .insertInto("player_openid_link")
    .values({ player_id: playerId, issuer, subject, name })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return linked.numInsertedOrUpdatedRows === 1n;
}

export async function isLinked(db: Db, playerId: string): Promise<boolean> {
  const own = db.selectFrom("player_openid_link").select("player_id").where("player_id", "=", playerId);
  return (await own.executeTakeFirst()) !== undefined;
}
