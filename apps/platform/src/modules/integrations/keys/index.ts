import type { IntegrationScope } from "@longarm/contract/integration";
import { INTEGRATION_SCOPES } from "@longarm/contract/integration";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { openKeys, openText, sealText } from "../../players/accounts/index.ts";
import { endLoginLinks } from "../../players/auth/index.ts";
import { endWatchKeysOf } from "../whep/index.ts";

const SECRET_BYTES = 32;

/** A key as its owner gets it, once. */
export type MadeKey = { readonly keyId: string; readonly secret: string };

/** Who calls, as a good signature says. */
export type Integration = {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
};

/** How an integration is named as an actor: in the audit log, and in rows. */
export const actorOf = ({ name }: Pick<Integration, "name">): string => `integration:${name}`;

/** @returns whether `text` names something that an integration may do. */
export const isScope = (text: string): text is IntegrationScope => Object.hasOwn(INTEGRATION_SCOPES, text);

const sealedWith = (db: AnyDb, random: Random) =>
  openKeys(db.withTables<PlayersTables>() as Kysely<PlayersTables>, random, "integration");

async function makeKey(db: AnyDb, random: Random, integrationId: string): Promise<MadeKey> {
  const keyId = newId(random, "ik");
  const secret = random.bytes(SECRET_BYTES).toString("base64");
  const sealed = await sealText(await sealedWith(db, random), random, keyId, secret);
  await sql`insert into integration_key (id, integration_id, secret) values (${keyId}, ${integrationId}, ${sealed})`.execute(
    db,
  );
  return { keyId, secret };
}

/** Adds an integration with its first key; undefined: the name is taken. */
export async function addIntegration(
  trx: AnyDb,
  random: Random,
  given: { readonly name: string; readonly scopes: readonly IntegrationScope[]; readonly by: string },
): Promise<MadeKey | undefined> {
  const { rows } = await sql<{ id: string }>`insert into integration (id, name, scopes, added_by)
    values (${newId(random, "in")}, ${given.name}, ${[...given.scopes]}::text[], ${given.by})
    on conflict (name) where ended_at is null do nothing returning id`.execute(trx);
  return rows[0] && (await makeKey(trx, random, rows[0].id));
}

async function idOf(trx: AnyDb, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from integration where name = ${name} and ended_at is null
    for update`.execute(trx);
  return rows[0]?.id;
}

/** Makes another key. The one before is good for `overlapMinutes` more, any older one no more. Undefined: there is no such integration. */
export async function rotateKey(
  trx: AnyDb,
  random: Random,
  { name, overlapMinutes }: { readonly name: string; readonly overlapMinutes: number },
): Promise<MadeKey | undefined> {
  const id = await idOf(trx, name);
  if (id === undefined) return undefined;
  await sql`update integration_key set ends_at = clock_timestamp()
    where integration_id = ${id} and ends_at > clock_timestamp()`.execute(trx);
  await sql`update integration_key set ends_at = clock_timestamp() + make_interval(mins => ${overlapMinutes}::int)
    where integration_id = ${id} and ends_at is null`.execute(trx);
  return await makeKey(trx, random, id);
}

/** Ends an integration and its keys, at once. @returns whether there was one. */
export async function removeIntegration(trx: AnyDb, name: string): Promise<boolean> {
  const id = await idOf(trx, name);
  if (id === undefined) return false;
  await sql`update integration set ended_at = clock_timestamp() where id = ${id}`.execute(trx);
  await sql`update integration_key set ends_at = clock_timestamp()
    where integration_id = ${id} and (ends_at is null or ends_at > clock_timestamp())`.execute(trx);
  await endLoginLinks(trx, actorOf({ name }));
  await endWatchKeysOf(trx, actorOf({ name }));
  return true;
}

export type ListedIntegration = {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly addedAt: Date;
  readonly addedBy: string;
  readonly players: number;
  readonly keys: readonly { readonly keyId: string; readonly madeAt: string; readonly endsAt: string | null }[];
};

/** Integrations that may call, with the keys that are good now. */
export async function listIntegrations(db: AnyDb): Promise<ListedIntegration[]> {
  const { rows } =
    await sql<ListedIntegration>`select i.name, i.scopes, i.added_at as "addedAt", i.added_by as "addedBy",
      (select count(*)::int from integration_player p where p.integration_id = i.id) as players,
      (select coalesce(jsonb_agg(jsonb_build_object('keyId', k.id, 'madeAt', k.made_at, 'endsAt', k.ends_at) order by k.made_at), '[]')
        from integration_key k where k.integration_id = i.id and (k.ends_at is null or k.ends_at > clock_timestamp())) as keys
    from integration i where i.ended_at is null order by i.name limit 1000`.execute(db);
  return rows;
}

/** The secret of a key that is good now, and whose it is. */
export async function findKey(
  db: AnyDb,
  random: Random,
  keyId: string,
): Promise<{ readonly secret: Buffer; readonly integration: Integration } | undefined> {
  const { rows } = await sql<{ sealed: Buffer; id: string; name: string; scopes: string[] }>`
    select k.secret as sealed, i.id, i.name, i.scopes from integration_key k join integration i on i.id = k.integration_id
    where k.id = ${keyId} and i.ended_at is null and (k.ends_at is null or k.ends_at > clock_timestamp())`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const secret = Buffer.from(await openText(await sealedWith(db, random), keyId, row.sealed), "base64");
  return { secret, integration: { id: row.id, name: row.name, scopes: new Set(row.scopes) } };
}

/** Notes a nonce on all nodes; false: the key has used it before. Older ones than `keptS` are forgotten. */
export async function takeNonce(db: AnyDb, keyId: string, nonce: string, keptS: number): Promise<boolean> {
  await sql`delete from integration_nonce where seen_at < clock_timestamp() - make_interval(secs => ${keptS})`.execute(
    db,
  );
  const { rows } = await sql`insert into integration_nonce (key_id, nonce) values (${keyId}, ${nonce})
    on conflict do nothing returning nonce`.execute(db);
  return rows.length === 1;
}

/** The player whom an integration knows by this id. */
export async function linkedPlayer(db: AnyDb, integrationId: string, externalId: string): Promise<string | undefined> {
  const { rows } = await sql<{ playerId: string }>`select player_id as "playerId" from integration_player
    where integration_id = ${integrationId} and external_id = ${externalId}`.execute(db);
  return rows[0]?.playerId;
}

/** Links a player; false: the player or the id is linked already. */
export async function linkPlayer(
  trx: AnyDb,
  { integrationId, externalId, playerId }: Readonly<Record<"integrationId" | "externalId" | "playerId", string>>,
): Promise<boolean> {
  const { rows } = await sql`insert into integration_player (integration_id, external_id, player_id)
    values (${integrationId}, ${externalId}, ${playerId}) on conflict do nothing returning player_id`.execute(trx);
  return rows.length === 1;
}
