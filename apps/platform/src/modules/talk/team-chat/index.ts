import type { ChatTold } from "@longarm/contract/notification-socket";
import type { FastifyInstance } from "fastify";
import type { PlatformDeps } from "../../../deps.ts";
import type { Guard } from "../../players/auth/index.ts";
import type { Notifications } from "../notifications/index.ts";
import { readMessage } from "./chats.ts";
import type { TeamChatTables } from "./contacts.ts";
import { Presence } from "./presence.ts";
import { chatRoutes } from "./routes.ts";

export { MESSAGES_KEPT, UNANSWERED_MAX } from "./chats.ts";
export type { TeamChatTables } from "./contacts.ts";
export { CONTACTS_MAX } from "./contacts.ts";

export type TeamChatParts = {
  readonly app: FastifyInstance;
  readonly guard: Guard;
  readonly notifications: Notifications;
};

/**
 * Team Chat: players of one group write to each other (record 0091). Adds GET /api/chat/contacts, /api/chat/user and /api/chat/get-chat, POST
 * /api/chat/user/data and /api/chat/send-message. Without `TEAM_CHAT` there is nothing of it.
 */
export function createTeamChat(
  { config, db, bus, clock, random, log }: PlatformDeps,
  { app, guard, notifications }: TeamChatParts,
): { close(): Promise<void> } {
  if (!config.teamChat) return { close: async () => {} };
  const tables = db.kysely.withTables<TeamChatTables>();
  const { isHere } = notifications;
  const presence = new Presence({ ...{ db: db.kysely, clock, log }, nodeId: config.play.NODE_ID, isHere });
  notifications.onPresence((playerId) => presence.changed(playerId));

  async function push(chatId: string, number: number): Promise<void> {
    const written = await readMessage(tables, chatId, number);
    if (written === undefined) return;
    const { message, players } = written;
    const pushed = (contactId: string): ChatTold => ({ chatId, contactId, message });
    notifications.chat(players[0], pushed(players[1]));
    notifications.chat(players[1], pushed(players[0]));
  }

  const subscriptions = [
    bus.subscribe("chat.written", ({ chatId, number, playerIds }) => {
      if (!playerIds.some(isHere)) return;
      push(chatId, number).catch((error: unknown) => {
        log.warn({ err: error, chatId }, "a chat message could not be read for the pages, they read it again");
        for (const playerId of playerIds) notifications.chat(playerId, {});
      });
    }),
    bus.onGap(() => notifications.chatMissed()),
  ];
  chatRoutes(app, guard, {
    ...{ db: tables, random, demoAllowed: config.demoAllowed },
    written: (chatId, number, playerIds) => bus.publish("chat.written", { chatId, number, playerIds: [...playerIds] }),
  });
  return {
    async close() {
      for (const stop of subscriptions) stop();
      await presence.close();
    },
  };
}
