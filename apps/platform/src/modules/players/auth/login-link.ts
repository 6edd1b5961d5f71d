import { createHash } from "node:crypto";
import { LOGIN_LINK_S } from "@longarm/contract/integration";
import { keyCalls } from "@longarm/contract/player-keys";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { limitKey, plainAddress } from "../../../plugins/client-address.ts";
import { callLimit } from "../../../plugins/limits.ts";
import type { Random } from "../../../random.ts";
import type { LoginDeps, SignIn, SignInDoor } from "./login-route.ts";
import { answerSignIn } from "./login-route.ts";
import type { AuthTables } from "./tables.ts";

/* A system that knows who is at the browser signs a player in by a code, which no server and no other page gets with an address. */

const CODE_BYTES = 32;
const BODY_BYTES_MAX = 1_024;

type Db = Kysely<AuthTables>;

const hashOf = (code: string): Buffer => createHash("sha256").update(code).digest();

/** One spelling of an address, as limits count it. */
function networkOf(address: string): string {
  const plain = plainAddress(address);
  return limitKey(plain.includes(":") ? (URL.parse(`http://[${plain}]`)?.hostname.slice(1, -1) ?? plain) : plain);
}

export type NewLoginLink = {
  readonly playerId: string;
  /** Who made it, as an actor. */
  readonly by: string;
  /** Whence alone it is good; absent: from anywhere. */
  readonly address: string | undefined;
};

/** Makes a code that signs the player in once, in place of an earlier one of the player. */
export async function makeLoginLink(
  trx: AnyDb,
  random: Random,
  { playerId, by, address }: NewLoginLink,
): Promise<{ readonly code: string; readonly expiresAt: Date }> {
  const code = random.bytes(CODE_BYTES).toString("base64url");
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into login_link (player_id, code_sha256, made_by, network, expires_at)
    values (${playerId}, ${hashOf(code)}, ${by}, ${address === undefined ? null : networkOf(address)},
      clock_timestamp() + make_interval(secs => ${LOGIN_LINK_S}))
    on conflict (player_id) do update set code_sha256 = excluded.code_sha256, made_by = excluded.made_by,
      network = excluded.network, expires_at = excluded.expires_at
    returning expires_at as "expiresAt"`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error("the new code was not stored");
  return { code, expiresAt: row.expiresAt };
}

/** Ends the unused codes that a system made. */
export async function endLoginLinks(trx: AnyDb, by: string): Promise<void> {
  await sql`delete from login_link where made_by = ${by}`.execute(trx);
}

/** Signing in by a code: it is gone with the first attempt, whatever comes of it. */
export function loginLinkRoute(app: FastifyInstance, door: SignInDoor, deps: LoginDeps & { readonly db: Db }): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `/v1/${keyCalls.linkLogin.path}`,
    {
      schema: { body: keyCalls.linkLogin.body },
      bodyLimit: BODY_BYTES_MAX,
      // Its answer carries secrets: never compressed together with what the caller sent.
      compress: false,
      onRequest: callLimit(app, door.perMinuteAddress),
    },
    async (request, reply) =>
      await answerSignIn(door, { request, reply, how: "link", named: { link: request.body.code } }, () =>
        checkLink(deps, request.body.code, request.clientAddress),
      ),
  );
}

/** Refuses, in this order, with: link.over, auth.banned. An unknown code reads as one that was used. */
async function checkLink(
  { db, players, demoAllowed }: LoginDeps & { readonly db: Db },
  code: string,
  address: string,
): Promise<SignIn> {
  const row = await db
    .deleteFrom("login_link")
    .where("code_sha256", "=", hashOf(code))
    .returning(["player_id", "network", sql<boolean>`expires_at > clock_timestamp()`.as("isGood")])
    .executeTakeFirst();
  const isHere = row?.isGood === true && (row.network === null || row.network === networkOf(address));
  const player = isHere ? await players.find(row.player_id) : undefined;
  if (player === undefined || (player.demo && !demoAllowed)) return { is: "refused", problem: { name: "link.over" } };
  if (player.banned_at !== null)
    return { is: "refused", problem: { name: "auth.banned" }, named: { username: player.username } };
  return { is: "player", player };
}
