import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { Chat, ChatList } from "@longarm/contract/template/team-chat";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { ChatCaller, ChatDb, TeamChatTables } from "./contacts.ts";
import { CONTACTS_MAX, isContact } from "./contacts.ts";

/** A chat keeps this many messages, its newest; older ones are removed as new ones come. */
export const MESSAGES_KEPT = 200;
/** Messages that a player may write before the other one replies: a contact cannot be flooded, nor older messages be pushed out of the chat. */
export const UNANSWERED_MAX = 50;

/** The chats in the caller's list, the newest first. */
export async function chatListOf(db: ChatDb, asker: ChatCaller): Promise<ChatList> {
  const { rows } = await sql<{ chatId: string; contactId: string; at: Date }>`
    select m.chat_id as "chatId", m.contact_id as "contactId", coalesce(c.last_message_at, m.listed_at) as at
    from team_chat_member m join team_chat c on c.id = m.chat_id join player p on p.id = m.contact_id
    where m.player_id = ${asker.playerId} and m.listed_at is not null and ${isContact(asker)}
    order by m.listed_at desc limit ${CONTACTS_MAX}`.execute(db);
  return rows.map(({ chatId, contactId, at }) => ({ chatId, contactId, lastMessageTime: at.toISOString() }));
}

/** The caller's chat with a contact, begun when there is none, its messages read from now on. Undefined: there is no such contact. */
export async function openChat(
  db: ChatDb,
  random: Random,
  asker: ChatCaller,
  contactId: string,
): Promise<Chat | undefined> {
  return await db.transaction().execute(async (trx) => {
    if (!(await isTheirContact(trx, asker, contactId))) return undefined;
    const id = await chatOf(trx, random, asker.playerId, contactId);
    await trx
      .insertInto("team_chat_member")
      .values({ player_id: asker.playerId, contact_id: contactId, chat_id: id, listed_at: databaseNow() })
      .onConflict((conflict) =>
        conflict.columns(["player_id", "contact_id"]).doUpdateSet({
          listed_at: sql<Date>`coalesce(team_chat_member.listed_at, excluded.listed_at)`,
          unread: 0,
        }),
      )
      .execute();
    const messages = await trx
      .selectFrom("team_chat_message")
      .selectAll()
      .where("chat_id", "=", id)
      .orderBy("number")
      .execute();
    return { id, dialog: messages.map(messageOf) };
  });
}

export type Written = { readonly message: ChatMessage; readonly number: number };

/** Writes a message of the caller. Undefined: they have no such chat, or may not write to the other one any more. `unanswered`: the other one has to reply first. */
export async function writeMessage(
  db: ChatDb,
  asker: ChatCaller,
  { chatId, contactId, message }: { readonly chatId: string; readonly contactId: string; readonly message: string },
): Promise<Written | "unanswered" | undefined> {
  const { playerId } = asker;
  return await db.transaction().execute(async (trx) => {
    if (!(await isTheirContact(trx, asker, contactId))) return undefined;
    const pair = pairOf(playerId, contactId);
    // The row is locked from here on: messages of one chat are numbered one after the other.
    const chat = await trx
      .selectFrom("team_chat")
      .select(["id", "last_number"])
      .where("id", "=", chatId)
      .where("first_player", "=", pair.first_player)
      .where("second_player", "=", pair.second_player)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!chat) return undefined;
    if (await isUnanswered(trx, chatId, playerId)) return "unanswered";
    const number = chat.last_number + 1;
    const row = await trx
      .insertInto("team_chat_message")
      .values({ chat_id: chatId, number, who: playerId, message })
      .returningAll()
      .executeTakeFirstOrThrow();
    await trx
      .updateTable("team_chat")
      .set({ last_number: number, last_message_at: row.sent_at })
      .where("id", "=", chatId)
      .execute();
    await trx
      .deleteFrom("team_chat_message")
      .where("chat_id", "=", chatId)
      .where("number", "<=", number - MESSAGES_KEPT)
      .execute();
    await toTheTop(trx, chatId, playerId, contactId);
    return { message: messageOf(row), number };
  });
}

/** A message with its number and the two whom it belongs to. */
export async function readMessage(
  db: ChatDb,
  chatId: string,
  number: number,
): Promise<{ readonly message: ChatMessage; readonly players: readonly [string, string] } | undefined> {
  const row = await db
    .selectFrom("team_chat_message")
    .innerJoin("team_chat", "team_chat.id", "team_chat_message.chat_id")
    .selectAll("team_chat_message")
    .select(["first_player", "second_player"])
    .where("chat_id", "=", chatId)
    .where("number", "=", number)
    .executeTakeFirst();
  return row && { message: messageOf(row), players: [row.first_player, row.second_player] };
}

async function isTheirContact(
  trx: Transaction<TeamChatTables>,
  asker: ChatCaller,
  contactId: string,
): Promise<boolean> {
  const { rows } = await sql`select from player p where p.id = ${contactId} and ${isContact(asker)}`.execute(trx);
  return rows.length > 0;
}

/** The id of the chat of these two, locked: no message is written while it is read. */
async function chatOf(
  trx: Transaction<TeamChatTables>,
  random: Random,
  playerId: string,
  contactId: string,
): Promise<string> {
  const pair = pairOf(playerId, contactId);
  await trx
    .insertInto("team_chat")
    .values({ id: newId(random, "ch"), ...pair })
    .onConflict((conflict) => conflict.columns(["first_player", "second_player"]).doNothing())
    .execute();
  const { id } = await trx
    .selectFrom("team_chat")
    .select("id")
    .where("first_player", "=", pair.first_player)
    .where("second_player", "=", pair.second_player)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return id;
}

/** Whether the newest messages are all the asker's, as many as may be. */
async function isUnanswered(trx: Transaction<TeamChatTables>, chatId: string, playerId: string): Promise<boolean> {
  const { rows } = await sql<{ own: number }>`
    select count(*)::int as own from (
      select who from team_chat_message where chat_id = ${chatId} order by number desc limit ${UNANSWERED_MAX}
    ) newest where who = ${playerId}`.execute(trx);
  return rows[0]?.own === UNANSWERED_MAX;
}

/** In both lists the chat is first now; for the contact it has one message more that was not read. */
async function toTheTop(
  trx: Transaction<TeamChatTables>,
  chatId: string,
  playerId: string,
  contactId: string,
): Promise<void> {
  const listed = { chat_id: chatId, listed_at: databaseNow() };
  await trx
    .insertInto("team_chat_member")
    .values([
      { ...listed, player_id: playerId, contact_id: contactId, unread: 0 },
      { ...listed, player_id: contactId, contact_id: playerId, unread: 1 },
    ])
    .onConflict((conflict) =>
      conflict.columns(["player_id", "contact_id"]).doUpdateSet({
        listed_at: sql<Date>`excluded.listed_at`,
        unread: sql<number>`least(team_chat_member.unread + excluded.unread, ${MESSAGES_KEPT})`,
      }),
    )
    .execute();
}

/** PostgreSQL compares ids by their bytes there (`collate "C"`), and so do we. */
function pairOf(one: string, other: string): { readonly first_player: string; readonly second_player: string } {
  return one < other ? { first_player: one, second_player: other } : { first_player: other, second_player: one };
}

function messageOf(row: { number: number; who: string; message: string; sent_at: Date }): ChatMessage {
  return { id: String(row.number), who: row.who, message: row.message, time: row.sent_at.toISOString() };
}
