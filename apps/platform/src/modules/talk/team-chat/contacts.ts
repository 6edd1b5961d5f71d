import type { ChatContact, ChatStatus } from "@longarm/contract/template/team-chat";
import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { PlayersTables } from "../../players/accounts/index.ts";

/** A time the database sets by its own clock. */
type WrittenAt = ColumnType<Date | null, RawBuilder<Date> | undefined, RawBuilder<Date>>;

/** Chats of players (`migrations/panels/0001-team-chat`). */
export type TeamChatTables = Pick<PlayersTables, "player"> & {
  team_chat_profile: { player_id: string; status: Generated<ChatStatus>; mood: Generated<string> };
  team_chat: {
    id: string;
    first_player: string;
    second_player: string;
    created_at: ColumnType<Date, never, never>;
    last_number: Generated<number>;
    last_message_at: ColumnType<Date | null, never, Date>;
  };
  team_chat_member: {
    player_id: string;
    contact_id: string;
    chat_id: string;
    listed_at: WrittenAt;
    unread: Generated<number>;
  };
  team_chat_message: {
    chat_id: string;
    number: number;
    who: string;
    message: string;
    sent_at: ColumnType<Date, never, never>;
  };
  team_chat_presence: { player_id: string; node_id: string };
};

export type ChatDb = Kysely<TeamChatTables>;

/** The most contacts and chats that a player sees. */
export const CONTACTS_MAX = 200;
/** From here on the number of unread messages is not exact. */
const UNREAD_TOLD_MAX = 99;

/** Who asks, and whether demo players are players here. */
export type ChatCaller = { readonly playerId: string; readonly demoAllowed: boolean };

/** Holds for a player `p` to whom the asker may write: of the same group, not banned, able to sign in. */
export function isContact({ playerId, demoAllowed }: ChatCaller): RawBuilder<boolean> {
  return sql<boolean>`(p.id <> ${playerId} and p.banned_at is null and (${demoAllowed}::boolean or not p.demo)
    and p.player_group = (select own.player_group from player own where own.id = ${playerId}))`;
}

type Row = {
  readonly id: string;
  readonly name: string;
  readonly lastname: string;
  readonly status: ChatStatus | null;
  readonly mood: string | null;
  readonly unread: number | null;
};

/** Those to whom the asker may write: whom the asker has a chat with, then those of the group who signed in last; at most `CONTACTS_MAX`. */
export async function contactsOf(db: ChatDb, asker: ChatCaller): Promise<ChatContact[]> {
  const known = await people(db, asker, sql`and m.listed_at is not null order by m.listed_at desc`);
  const recent = await people(db, asker, sql`order by p.last_logon desc nulls last`);
  const rows = [...new Map([...known, ...recent].map((row) => [row.id, row])).values()].slice(0, CONTACTS_MAX);
  const present = await presentAmong(db, rows);
  return rows.map(({ id, status, unread, ...row }) => ({
    id,
    ...shownOf(row),
    status: present.has(id) ? (status ?? "online") : "offline",
    ...(unread ? { unread: unread > UNREAD_TOLD_MAX ? `${UNREAD_TOLD_MAX}+` : String(unread) } : {}),
  }));
}

async function people(db: ChatDb, asker: ChatCaller, which: RawBuilder<unknown>): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select p.id, p.name, p.lastname, s.status, s.mood, m.unread
    from player p
      left join team_chat_profile s on s.player_id = p.id
      left join team_chat_member m on m.player_id = ${asker.playerId} and m.contact_id = p.id
    where ${isContact(asker)} ${which} limit ${CONTACTS_MAX}`.execute(db);
  return rows;
}

async function presentAmong(db: ChatDb, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const ids = rows.map(({ id }) => id);
  const { rows: here } = await sql<{ id: string }>`
    select distinct player_id as id from team_chat_presence where player_id = any(${ids}::text[])`.execute(db);
  return new Set(here.map(({ id }) => id));
}

/** What others see of a player. Never the name that signs in. */
export function shownOf({ name, lastname, mood }: Pick<Row, "name" | "lastname" | "mood">) {
  return { name: `${name} ${lastname}`.trim(), avatar: "", mood: mood ?? "" };
}
