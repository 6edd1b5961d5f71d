import * as z from "zod/mini";
import type { Call } from "../call.ts";
import { WireId } from "../ids.ts";
import { ChatMessage } from "../notification-socket.ts";

/** The status that a chat user has set. A user without an open page is shown to others as offline in any case. */
export const CHAT_STATUSES = ["online", "do-not-disturb", "away", "offline"] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];

/** The longest message and the longest mood, characters. */
export const CHAT_TEXT_MAX = 2_000;
export const CHAT_MOOD_MAX = 140;

const person = {
  id: WireId,
  name: z.string(),
  /** Address of a picture; empty: there is none. */
  avatar: z.optional(z.nullable(z.string())),
  status: z.enum(CHAT_STATUSES),
  mood: z.optional(z.string()),
};

/** Somebody to talk to. */
export const ChatContact = z.object({
  ...person,
  /** How many messages of theirs were not read, as a text ("3", "99+"); absent: none. */
  unread: z.optional(z.string()),
});
export type ChatContact = z.output<typeof ChatContact>;

/** A chat of the user's: the newest first. */
const ChatList = z.array(z.object({ chatId: WireId, contactId: WireId, lastMessageTime: z.string() }));
export type ChatList = z.output<typeof ChatList>;

/** The caller as a chat user. */
export const ChatUser = z.object({ ...person, chatList: ChatList });
export type ChatUser = z.output<typeof ChatUser>;

/** A chat with its messages, the oldest first. */
export const Chat = z.object({ id: WireId, dialog: z.array(ChatMessage) });
export type Chat = z.output<typeof Chat>;

const id = z.string().check(z.minLength(1), z.maxLength(64));

/** Calls of Team Chat, relative to `templateApiUrl`. A platform without a chat answers them 404. */
export const chatCalls = {
  /** Our platform ignores the query. */
  chatContacts: { method: "GET", path: "api/chat/contacts", answer: z.array(ChatContact) },
  chatUser: { method: "GET", path: "api/chat/user", answer: ChatUser },
  chatUserData: {
    method: "POST",
    path: "api/chat/user/data",
    body: z.partial(z.object({ status: z.enum(CHAT_STATUSES), mood: z.string().check(z.maxLength(CHAT_MOOD_MAX)) })),
    answer: ChatUser,
  },
  /** Begins the chat when there is none yet, and counts its messages as read. `userId` is the caller's own. */
  chat: {
    method: "GET",
    path: "api/chat/get-chat",
    query: z.object({ contactId: id, userId: id }),
    answer: z.object({ chat: Chat, userChatList: ChatList }),
  },
  /** A text of nothing but blanks is refused. */
  sendChatMessage: {
    method: "POST",
    path: "api/chat/send-message",
    body: z.object({ chatId: id, messageText: z.string().check(z.maxLength(CHAT_TEXT_MAX)), contactId: id }),
    answer: z.object({ message: ChatMessage, userChatList: ChatList }),
  },
} as const satisfies Record<string, Call>;

/** The longest title and detail of an event or note, characters. */
export const QUICK_TITLE_MAX = 100;
export const QUICK_DETAIL_MAX = 500;
const Entries = z.array(z.object({ id: WireId, title: z.string(), detail: z.string() }));
export const QuickPanelData = z.object({ notes: Entries, events: Entries });
export type QuickPanelData = z.output<typeof QuickPanelData>;

/** What staff writes into the quick panel, relative to `templateApiUrl`. */
export const quickPanelCalls = {
  quickPanel: { method: "GET", path: "api/quick-panel/data", answer: QuickPanelData },
} as const satisfies Record<string, Call>;
