import { createHmac } from "node:crypto";
import type { DOCUMENT_KINDS } from "@longarm/contract/player-identity";
import { documentNumberForm } from "@longarm/contract/player-identity";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { openKeys } from "../../players/accounts/index.ts";

type Db = AnyDb;

/** What a document says of who a person is. */
export type SeenNumbers = {
  /** Who issued both, ISO 3166. */
  readonly country?: string | undefined;
  readonly personalNumber?: string | undefined;
  readonly documentKind?: (typeof DOCUMENT_KINDS)[number] | undefined;
  readonly documentNumber?: string | undefined;
};

/** A keyed hash that accounts of one person share. */
export type Mark = { readonly kind: "number" | "document"; readonly mark: string };

/** Whether a number came without what makes it one: its country, and of a document its kind. */
export const isHalf = ({ country, personalNumber, documentKind, documentNumber }: SeenNumbers): boolean =>
  (documentNumber === undefined) !== (documentKind === undefined) ||
  (country === undefined) !== (personalNumber === undefined && documentNumber === undefined);

/** Sweden writes the same personal number with and without the century. */
const ownDigits = (country: string, digits: string): string => (country === "SE" ? digits.slice(-10) : digits);

/** The marks of what was seen. The key is made once and never changed: a mark is compared with those of years ago. */
export async function marksOf(db: Db, random: Random, seen: SeenNumbers): Promise<Mark[]> {
  const { country, personalNumber, documentKind, documentNumber } = seen;
  if (country === undefined) return [];
  const { secret } = await (await openKeys(db.withTables<PlayersTables>(), random, "person")).current();
  const markOf = (kind: Mark["kind"], ...parts: string[]): Mark => ({
    kind,
    mark: createHmac("sha256", secret)
      .update(JSON.stringify([kind, country, ...parts]))
      .digest("base64url"),
  });
  const number = documentNumber === undefined ? null : documentNumberForm(documentNumber);
  return [
    ...(personalNumber === undefined ? [] : [markOf("number", ownDigits(country, personalNumber))]),
    ...(documentKind === undefined || number === null ? [] : [markOf("document", documentKind, number)]),
  ];
}

/** Keeps marks of a player, and forgets those that nothing keeps any more. Two that verify the same person at once do it one after the other. */
export async function keepMarks(trx: Db, playerId: string, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  const inOrder = marks.map(({ mark }) => mark).toSorted();
  for (const mark of inOrder)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`person ${mark}`}, 0))`.execute(trx);
  await sql`insert into identity_record (player_id) values (${playerId}) on conflict do nothing`.execute(trx);
  await sql`insert into identity_mark (player_id, kind, mark) select ${playerId}, kind, mark
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as m (kind text, mark text) on conflict do nothing`.execute(
    trx,
  );
  await forgetMarks(trx);
}

/** Removes the marks that this player shares with others: they are of somebody else. */
export async function partPlayer(trx: Db, playerId: string): Promise<void> {
  await sql`delete from identity_mark m where m.player_id = ${playerId} and exists (select from identity_mark o
    where o.kind = m.kind and o.mark = m.mark and o.player_id <> m.player_id)`.execute(trx);
}

/** The most marks that one decision or erasure forgets. */
const FORGET_MAX = 500;

/** Forgets marks whose personal data were erased, but for those of players who are kept from play: they would come back as somebody new. */
export async function forgetMarks(trx: Db): Promise<void> {
  await sql`delete from identity_mark m using (
      select o.player_id from identity_mark o where not exists (select from identity_record r where r.player_id = o.player_id)
        and not player_is_excluded(o.player_id) limit ${FORGET_MAX}) due
    where m.player_id = due.player_id`.execute(trx);
}

/** The accounts of the person whom each of these players is, the player too; who has one account is not in it. */
export async function accountsOf(db: Db, playerIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ id: string; accounts: string[] }>`
    select w.id, array_agg(p.id) as accounts from unnest(${[...playerIds]}::text[]) as w (id)
      cross join lateral person_accounts(w.id) as p (id) group by w.id having count(*) > 1`.execute(db);
  return new Map(rows.map(({ id, accounts }) => [id, accounts]));
}

/** For queries of other rooms: the ids of the accounts of the person whose player the column `id` is. */
export const personOf = (id: string): RawBuilder<string> => sql<string>`(select person_accounts(${sql.ref(id)}))`;

/** The most that a hint names. */
const ALIKE_MAX = 50;

/** Other players with the same birth date, and whether each is kept from play by a break or by the operator. */
export async function bornOnTheSameDay(db: Db, playerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o.player_id as id from identity_record r join identity_record o on o.birth_date = r.birth_date and o.player_id <> r.player_id
    where r.player_id = ${playerId} order by o.player_id limit ${ALIKE_MAX}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Of these players those whom a break or the operator keeps from play now. */
export async function excludedOf(db: Db, playerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select w.id from unnest(${[...playerIds]}::text[]) as w (id) where player_is_excluded(w.id)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Players whose newest decision waits for what a person says of their other accounts; the oldest first. */
export async function heldPlayers(db: Db, most: number): Promise<{ playerId: string; since: Date }[]> {
  const { rows } = await sql<{ playerId: string; since: Date }>`
    select d.player_id as "playerId", d.decided_at as since from identity_decision d
    where d.others = 'held' and not exists (select from identity_decision n where n.player_id = d.player_id and n.id > d.id)
    order by d.id limit ${most}`.execute(db);
  return rows;
}

const NAME_LETTERS: Readonly<Record<string, string>> = { ı: "i", ß: "ss", ø: "o", ł: "l", đ: "d", æ: "ae", œ: "oe" };

/** One form of a name: the same for any order of its words, any case and any accents. Empty: no letters. */
export const nameForm = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ıßøłđæœ]/g, (letter) => NAME_LETTERS[letter] ?? letter)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "")
    .toSorted()
    .join(" ");
