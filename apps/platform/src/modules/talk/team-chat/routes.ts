import type { ChatStatus, ChatUser } from "@longarm/contract/template/team-chat";
import { chatCalls } from "@longarm/contract/template/team-chat";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Random } from "../../../random.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { chatListOf, openChat, writeMessage } from "./chats.ts";
import type { ChatCaller, ChatDb } from "./contacts.ts";
import { contactsOf, shownOf } from "./contacts.ts";

/** Messages a minute of one player: more than anybody types. */
const MESSAGES_PER_MINUTE = 60;

export type ChatRouteParts = {
  readonly db: ChatDb;
  readonly random: Random;
  readonly demoAllowed: boolean;
  written(chatId: string, number: number, playerIds: readonly [string, string]): void;
};

/** The calls of Team Chat. The caller acts only for itself, whatever ids are sent. */
export function chatRoutes(app: FastifyInstance, guard: Guard, parts: ChatRouteParts): void {
  const { db, random } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const asker = (request: FastifyRequest): ChatCaller => ({
    playerId: callerOf(request).playerId,
    demoAllowed: parts.demoAllowed,
  });
  const answer = (reply: FastifyReply, body: unknown) => reply.header("cache-control", "no-store").send(body);
  /** A chat that is not there, one of others, a contact who is none: they all look the same. */
  const unknown = (reply: FastifyReply) =>
    sendProblem(reply, { name: "request.invalid", detail: "no such chat or contact" }, 404);

  typed.get(`/${chatCalls.chatContacts.path}`, { onRequest: guard }, async (request, reply) =>
    answer(reply, await contactsOf(db, asker(request))),
  );

  typed.get(`/${chatCalls.chatUser.path}`, { onRequest: guard }, async (request, reply) =>
    answer(reply, await chatUserOf(db, asker(request))),
  );

  const { body: said } = chatCalls.chatUserData;
  typed.post(
    `/${chatCalls.chatUserData.path}`,
    { onRequest: guard, schema: { body: said } },
    async (request, reply) => {
      const { status, mood } = request.body;
      await sayOfOneself(db, asker(request), { status, ...(mood !== undefined && { mood: plain(mood) }) });
      return answer(reply, await chatUserOf(db, asker(request)));
    },
  );

  const { query: querystring } = chatCalls.chat;
  // It begins a chat where there is none: a HEAD request must not do that.
  const opening = { onRequest: guard, exposeHeadRoute: false, schema: { querystring } };
  typed.get(`/${chatCalls.chat.path}`, opening, async (request, reply) => {
    const { contactId, userId } = request.query;
    const own = asker(request);
    if (userId !== own.playerId || !isKeepable(contactId)) return unknown(reply);
    const chat = await openChat(db, random, own, contactId);
    if (chat === undefined) return unknown(reply);
    return answer(reply, { chat, userChatList: await chatListOf(db, own) });
  });

  const limit = callLimit(app, MESSAGES_PER_MINUTE, (request) => `chat ${request.caller?.playerId}`);
  const { body } = chatCalls.sendChatMessage;
  const sending = { onRequest: [guard, limit], schema: { body } };
  typed.post(`/${chatCalls.sendChatMessage.path}`, sending, async (request, reply) => {
    const { chatId, contactId, messageText } = request.body;
    const own = asker(request);
    const message = plain(messageText);
    if (message === "") return sendProblem(reply, { name: "request.invalid", detail: "an empty message" });
    if (!isKeepable(chatId) || !isKeepable(contactId)) return unknown(reply);
    const written = await writeMessage(db, own, { chatId, contactId, message });
    if (written === undefined) return unknown(reply);
    if (written === "unanswered") return sendProblem(reply, { name: "chat.unanswered" });
    parts.written(chatId, written.number, [own.playerId, contactId]);
    return answer(reply, { message: written.message, userChatList: await chatListOf(db, own) });
  });
}

/** False for text that PostgreSQL cannot keep. */
const isKeepable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Text as people write it: without control characters but line ends, and without blanks around it. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .trim();
}

/** The asker as a chat user: what was said of oneself, whether a page is open or not. */
async function chatUserOf(db: ChatDb, asker: ChatCaller): Promise<ChatUser> {
  const { playerId: id } = asker;
  const row = await db
    .selectFrom("player")
    .leftJoin("team_chat_profile as said", "said.player_id", "player.id")
    .select(["name", "lastname", "status", "mood"])
    .where("player.id", "=", id)
    .executeTakeFirstOrThrow();
  return { id, ...shownOf(row), status: row.status ?? "online", chatList: await chatListOf(db, asker) };
}

type SaidOfOneself = { readonly status?: ChatStatus | undefined; readonly mood?: string | undefined };

/** Keeps what the asker says of oneself; what is left out stays as it was. */
async function sayOfOneself(db: ChatDb, { playerId }: ChatCaller, { status, mood }: SaidOfOneself): Promise<void> {
  const said = { ...(status !== undefined && { status }), ...(mood !== undefined && { mood }) };
  if (Object.keys(said).length === 0) return;
  await db
    .insertInto("team_chat_profile")
    .values({ player_id: playerId, ...said })
    .onConflict((conflict) => conflict.column("player_id").doUpdateSet(said))
    .execute();
}
