import type { ChatStatus, ChatUser } from "@longarm/contract/template/team-chat";
import { chatListOf } from "./chats.ts";
import type { Asker, ChatDb } from "./contacts.ts";
import { shownOf } from "./contacts.ts";

/** The asker as a chat user: what was said of oneself, whether a page is open or not. */
export async function chatUserOf(db: ChatDb, asker: Asker): Promise<ChatUser> {
  const { playerId: id } = asker;
  const row = await db
    .selectFrom("player")
    .leftJoin("team_chat_profile as said", "said.player_id", "player.id")
    .select(["name", "lastname", "status", "mood"])
    .where("player.id", "=", id)
    .executeTakeFirstOrThrow();
  return { id, ...shownOf(row), status: row.status ?? "online", chatList: await chatListOf(db, asker) };
}

export type SaidOfOneself = { readonly status?: ChatStatus | undefined; readonly mood?: string | undefined };

/** Keeps what the asker says of oneself; what is left out stays as it was. */
export async function sayOfOneself(db: ChatDb, { playerId }: Asker, { status, mood }: SaidOfOneself): Promise<void> {
  const said = { ...(status !== undefined && { status }), ...(mood !== undefined && { mood }) };
  if (Object.keys(said).length === 0) return;
  await db
    .insertInto("team_chat_profile")
    .values({ player_id: playerId, ...said })
    .onConflict((conflict) => conflict.column("player_id").doUpdateSet(said))
    .execute();
}
