import { createHash } from "node:crypto";
import type { OpenIdAct } from "@longarm/contract/player-openid";
import { OPENID_PATH } from "@longarm/contract/player-openid";
import { decodeJwt } from "jose";
import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { PlayerIssuer } from "../../../config/player-issuers.ts";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Issuer, IssuersPerson } from "../../../openid.ts";
import { IssuerFailed, providerOf } from "../../../openid.ts";
import type { Random } from "../../../random.ts";
import type { Signed, Steps } from "./ceremonies.ts";
import { lockedKeys } from "./ceremonies.ts";
import type { PasskeyTables } from "./tables.ts";

/** A person has so long to sign in at the issuer, ms. */
const ATTEMPT_MS = 600_000;
const SECRET_BYTES = 32;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

type Db = Kysely<PasskeyTables>;

/** What the browser was sent for: a change of this sign-in, or a new one. */
type Purpose = { readonly act: OpenIdAct; readonly whose: Signed } | undefined;

/** An issuer that signs players in. */
export type OpenIdIssuer = Pick<PlayerIssuer, "name" | "path" | "opensAccounts"> &
  Issuer & {
    /** As `providerOf` names it. */
    readonly provider: string;
    /** The address of its icon; null: it has none. */
    readonly icon: string | null;
  };

type OpenIdDeps = {
  readonly db: Db;
  readonly random: Random;
  /** In the order of their buttons. */
  readonly issuers: readonly OpenIdIssuer[];
};

/** What a page brings back: to which address of ours the issuer sent it, and what came behind it. */
type Brought = {
  readonly secret: string;
  readonly answer: string;
  /** The issuer of that address; undefined: it names none. */
  readonly issuer?: string | undefined;
};

/** Sends browsers to the issuers, and takes what they bring back, each once. */
function createVisits({ db, random, issuers }: OpenIdDeps) {
  return {
    /**
     * `secret` is kept by the page alone. A change is confirmed by signing in anew there; a sign-in also counts where the issuer knows the browser.
     * @throws IssuerFailed.
     */
    async begin(
      issuer: OpenIdIssuer,
      origin: string,
      purpose: Purpose,
    ): Promise<{ readonly secret: string; readonly href: string }> {
      const secret = random.bytes(SECRET_BYTES).toString("base64url");
      const redirectUri = origin + issuer.path;
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
     * Who is back, and for which act. Whatever comes of it, the attempt is over. Undefined: no attempt of this secret, this sign-in and this issuer waits.
     * An answer of another issuer than the one that the browser was sent to comes to another address: no code is given to an issuer that did not make
     * it, also where issuers do not name themselves (mix-up: RFC 9700, 4.4).
     * @throws IssuerFailed.
     */
    async answered(
      { secret, answer, issuer: named }: Brought,
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
      const path = named === undefined ? OPENID_PATH : `${OPENID_PATH}/${named}`;
      const issuer = issuers.find((one) => one.path === path);
      if (issuer === undefined || new URL(redirectUri).pathname !== path) return undefined;
      const anewS = act === null ? undefined : ageS;
      return { act, person: await issuer.personOf({ secret, redirectUri, answer, anewS }) };
    },
  };
}

/** The issuer of a link, as the settings name it. */
const provider = sql<string>`coalesce(provider, rtrim(issuer, '/'))`;

/** Players' links with the issuers. */
export function createOpenId(deps: OpenIdDeps) {
  const { db, issuers } = deps;
  const providers = issuers.map((one) => one.provider);
  return {
    ...createVisits(deps),
    issuers,

    /** The issuer of this name; without one the first. Undefined: there is none. */
    issuerNamed: (name: string | undefined): OpenIdIssuer | undefined =>
      name === undefined ? issuers[0] : issuers.find((one) => one.name === name),

    /** Whether a first sign-in of this person opens an account. */
    opensAccounts: ({ provider: from }: IssuersPerson): boolean =>
      issuers.some((one) => one.provider === from && one.opensAccounts),

    /** The player whom this person is, and notes that the link was used; undefined: none. A link of another issuer does not count. */
    async playerOf({ provider: from, issuer: by, subject, name }: IssuersPerson): Promise<string | undefined> {
      const row = await db
        .updateTable("player_openid_link")
        .set({ name, provider: from, last_used_at: databaseNow() })
        .where("issuer", "=", by)
        .where("subject", "=", subject)
        .where((eb) => eb.or([eb("provider", "=", from), eb("provider", "is", null)]))
        .returning("player_id")
        .executeTakeFirst();
      return row?.player_id;
    },

    /** The player whose sign-ins an issuer ended, which issuer, and when; undefined: it is none of ours. @throws IssuerFailed. */
    async loggedOut(token: string): Promise<LoggedOut | undefined> {
      const issuer = issuerOfToken(issuers, token);
      if (issuer === undefined) throw new IssuerFailed("refused", { cause: new Error("no issuer of ours made it") });
      const { provider: from, issuer: by, subject, at } = await issuer.logoutOf(token);
      const row = await db
        .selectFrom("player_openid_link")
        .select("player_id")
        .where("issuer", "=", by)
        .where("subject", "=", subject)
        .where((eb) => eb.or([eb("provider", "=", from), eb("provider", "is", null)]))
        .executeTakeFirst();
      return row && { playerId: row.player_id, provider: from, at };
    },

    /** A player's links, by issuer. */
    async of(playerId: string): Promise<ReadonlyMap<string, OpenIdLink>> {
      const rows = await db
        .selectFrom("player_openid_link")
        .select(["name", "linked_at", "last_used_at"])
        .select(provider.as("provider"))
        .where("player_id", "=", playerId)
        .where(provider, "in", providers)
        .execute();
      return new Map(rows.map((row) => [row.provider, row]));
    },

    link: (playerId: string, person: IssuersPerson, { first, done }: Steps) =>
      db.transaction().execute(async (trx) => {
        await first(trx);
        const isLinkedNow = await linkOpenId(trx, playerId, person);
        if (isLinkedNow) await done(trx);
        return isLinkedNow;
      }),

    unlink: (playerId: string, from: string, hasPassword: boolean, act: Steps) =>
      unlinkOpenId(deps, { playerId, from, hasPassword }, act),
  };
}
export type OpenId = ReturnType<typeof createOpenId>;
type OpenIdLink = Pick<Selectable<PasskeyTables["player_openid_link"]>, "name" | "linked_at" | "last_used_at">;
type LoggedOut = { readonly playerId: string; readonly provider: string; readonly at: Date };

type Unlinking = { readonly playerId: string; readonly from: string; readonly hasPassword: boolean };

/** Removes the link with one issuer. "last": nothing else signs the player in. */
async function unlinkOpenId(
  { db, issuers }: OpenIdDeps,
  { playerId, from, hasPassword }: Unlinking,
  { first, done }: Steps,
) {
  const providers = issuers.map((one) => one.provider);
  return await db
    .transaction()
    .execute(async (trx): Promise<"removed" | "unknown" | "last"> => {
      await first(trx);
      const passkeys = await lockedKeys(trx, playerId);
      const removed = await trx
        .deleteFrom("player_openid_link")
        .where("player_id", "=", playerId)
        .where(provider, "=", from)
        .executeTakeFirst();
      if (removed.numDeletedRows === 0n) return "unknown";
      if (!(hasPassword || passkeys.length > 0 || (await isLinked(trx, playerId, providers)))) throw new LastWay();
      await done(trx);
      return "removed";
    })
    .catch((error: unknown) => {
      if (error instanceof LastWay) return "last" as const;
      throw error;
    });
}

/** Which issuer a logout token says that it is of. Only that one's keys and name are then believed. */
function issuerOfToken(issuers: readonly OpenIdIssuer[], token: string): OpenIdIssuer | undefined {
  try {
    const { iss = "" } = decodeJwt(token);
    return issuers.find((one) => one.provider === providerOf({ issuer: iss }));
  } catch {
    return undefined;
  }
}

class LastWay extends Error {}

/** False: the player has a link with that issuer already, or the person has one. */
export async function linkOpenId(trx: Db, playerId: string, person: IssuersPerson): Promise<boolean> {
  const { provider: from, issuer, subject, name } = person;
  const linked = await trx
    .insertInto("player_openid_link")
    .values({ player_id: playerId, issuer, subject, provider: from, name })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return linked.numInsertedOrUpdatedRows === 1n;
}

/** Whether a link with one of these issuers signs the player in. */
export async function isLinked(db: Db, playerId: string, providers: readonly string[]): Promise<boolean> {
  if (providers.length === 0) return false;
  const own = db
    .selectFrom("player_openid_link")
    .select("player_id")
    .where("player_id", "=", playerId)
    .where(provider, "in", providers);
  return (await own.executeTakeFirst()) !== undefined;
}
