import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { Chat, ChatContact, ChatList, ChatUser } from "@longarm/contract/template/team-chat";
import type { ApiFailure } from "../../shared/api/failure.ts";

/** A message that the platform has not taken yet. */
export type Unsent = {
  readonly key: number;
  readonly text: string;
  /** The messages of the chat when it was first sent: one of ours behind them with the same text is this one. */
  readonly before: readonly string[];
  /** Why it was not taken; undefined: it is being sent. */
  readonly failure: ApiFailure | undefined;
};

type Load = "loading" | "ready" | "failed";

/** What the panel shows. */
export type ChatState = {
  readonly isOpen: boolean;
  /** Of user and contacts. */
  readonly load: Load;
  readonly user: ChatUser | undefined;
  readonly contacts: readonly ChatContact[];
  /** The contact whose chat is shown. */
  readonly selectedId: string | undefined;
  readonly chatLoad: Load;
  readonly chat: Chat | undefined;
  /** By contact. */
  readonly unsent: Readonly<Record<string, readonly Unsent[]>>;
};

export const EMPTY: ChatState = {
  ...{ isOpen: false, load: "loading", user: undefined, contacts: [] },
  ...{ selectedId: undefined, chatLoad: "ready", chat: undefined, unsent: {} },
};

/** Identifies a message among those of its chat; a platform may send none of its own ids. */
export const keyOf = ({ id, time, who, message }: ChatMessage): string => id ?? `${time} ${who} ${message}`;

/** The contacts with whom there is a chat, in the order of the list, and the others (entity of the chat user). */
export function parted(contacts: readonly ChatContact[], list: ChatList): [ChatContact[], ChatContact[]] {
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  const talked = new Set(list.map(({ contactId }) => contactId));
  return [[...talked].flatMap((contactId) => byId.get(contactId) ?? []), contacts.filter(({ id }) => !talked.has(id))];
}

/** A dialog with one message more, in its place whenever it comes; one that is there already stays one. */
export function withMessage(chat: Chat, message: ChatMessage): Chat {
  const key = keyOf(message);
  if (chat.dialog.some((known) => keyOf(known) === key)) return chat;
  const at = chat.dialog.findLastIndex(({ time }) => time <= message.time) + 1;
  return { ...chat, dialog: chat.dialog.toSpliced(at, 0, message) };
}

/** A chat as it was read, with the messages that came while it was read. */
export function merged(read: Chat, shown: Chat | undefined): Chat {
  if (shown?.id !== read.id) return read;
  const newest = read.dialog.at(-1)?.time ?? "";
  return shown.dialog.filter(({ time }) => time > newest).reduce(withMessage, read);
}

/** A chat that has just had a message is first. */
export function listWith(list: ChatList, chatId: string, contactId: string, lastMessageTime: string): ChatList {
  return [{ chatId, contactId, lastMessageTime }, ...list.filter((entry) => entry.contactId !== contactId)];
}

/** A list as it was read, and above it what has come while it was read. */
export function newestList(read: ChatList, shown: ChatList): ChatList {
  const newest = read[0]?.lastMessageTime ?? "";
  return shown
    .filter(({ lastMessageTime }) => lastMessageTime > newest)
    .reduceRight((list, entry) => listWith(list, entry.chatId, entry.contactId, entry.lastMessageTime), read);
}

/** One more that was not read; "99+" stays what it is. */
export function oneMore(unread: string | undefined): string {
  const count = Number(unread ?? 0);
  if (Number.isNaN(count)) return unread ?? "1";
  return count < 99 ? String(count + 1) : "99+";
}

/** What all contacts together have that was not read: 0, or a text for a badge. */
export function unreadOf(contacts: readonly ChatContact[]): string {
  const counts = contacts.map(({ unread }) => Number.parseInt(unread ?? "0", 10) || 0);
  const sum = counts.reduce((all, count) => all + count, 0);
  return sum > 99 ? "99+" : String(sum);
}

/** Messages of one sender that follow each other. */
export type Bubbles = { readonly who: string; readonly messages: readonly ChatMessage[] };

export function groupsOf(dialog: readonly ChatMessage[]): Bubbles[] {
  const groups: { who: string; messages: ChatMessage[] }[] = [];
  for (const message of dialog) {
    const last = groups.at(-1);
    if (last?.who === message.who) last.messages.push(message);
    else groups.push({ who: message.who, messages: [message] });
  }
  return groups;
}
