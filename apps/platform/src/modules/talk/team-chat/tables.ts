import type { ChatStatus } from "@longarm/contract/template/team-chat";
import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { PlayersTables } from "../../players/accounts/index.ts";

/** A time the database sets by its own clock. */
type Told = ColumnType<Date | null, RawBuilder<Date> | undefined, RawBuilder<Date>>;

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
    listed_at: Told;
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
