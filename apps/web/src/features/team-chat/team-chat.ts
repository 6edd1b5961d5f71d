import type { ChatMessage, ChatTold } from "@longarm/contract/notification-socket";
import type { ChatContact, ChatList, ChatStatus, chatCalls } from "@longarm/contract/template/team-chat";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import type * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { ApiAnswer, InputOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import type { ChatState, Unsent } from "./chat-state.ts";
import { EMPTY, keyOf, listWith, merged, newestList, oneMore, withMessage } from "./chat-state.ts";

/** Messages that come together are marked as read by one call, ms. */
const READ_AFTER_MS = 1_000;
/** Contacts come and go without a push: they are read again this often while they are looked at, ms. */
const CONTACTS_EVERY_MS = 60_000;

/** Team Chat as long as a player is signed in: contacts, the chat that is open, and what was not sent. */
export class TeamChat {
  readonly #deps: TeamChatDeps;
  readonly #store = createStore<ChatState>(() => EMPTY);
  #stopReading: (() => void) | undefined;
  #keys = 0;
  /** One message after the other, in the order in which they were written. */
  #sending: Promise<void> = Promise.resolve();
  /** The latest reading: the answer of an older one says nothing about the chat that is shown now. */
  #reading = 0;

  constructor(deps: TeamChatDeps) {
    this.#deps = deps;
    deps.onPush((push) => this.#receive(push));
    deps.onReturn(() => void this.refresh());
    void this.refresh();
  }

  get now(): Live<ChatState> {
    return this.#store;
  }

  /** Reads everything again; the open chat only while somebody looks, for reading it counts as read. */
  async refresh(): Promise<void> {
    const [user, contacts] = await Promise.all([
      this.#deps.call("chatUser", {}),
      this.#deps.call("chatContacts", {}),
      this.#deps.isSeen() ? this.#read() : undefined,
    ]);
    if (user.ok && contacts.ok) this.#set({ load: "ready", user: user.data, contacts: contacts.data });
    else if (this.#state.load !== "ready") this.#set({ load: "failed" });
  }

  /** Asks once more after a failure. */
  tryAgain(): void {
    if (this.#state.load === "failed") this.#set({ load: "loading" });
    if (this.#state.chatLoad === "failed") this.#set({ chatLoad: "loading" });
    void this.refresh();
  }

  /** Keeps the contacts fresh until the answer is called. */
  watch(): () => void {
    let stop = (): void => {};
    const later = (): void => {
      stop = this.#deps.timers.after(CONTACTS_EVERY_MS, () => {
        if (this.#deps.isSeen()) void this.refresh();
        later();
      });
    };
    later();
    return () => stop();
  }

  /** The page is looked at again: what came meanwhile in the open chat is read now. */
  seen(): void {
    if (this.#deps.isSeen() && this.#state.isOpen) void this.#read();
  }

  open(): void {
    this.#set({ isOpen: true });
  }

  /** Closing clears the contact and the chat; what was not sent is kept. */
  close(): void {
    this.#reading += 1;
    this.#set({ isOpen: false, selectedId: undefined, chat: undefined, chatLoad: "ready" });
  }

  toggle(): void {
    if (this.#state.isOpen) this.close();
    else this.open();
  }

  async select(contactId: string): Promise<void> {
    if (this.#state.selectedId === contactId && this.#state.isOpen) return;
    this.#set({ isOpen: true, selectedId: contactId, chat: undefined, chatLoad: "loading" });
    await this.#read();
  }

  /** False: there is nothing to send but blanks. */
  send(text: string): boolean {
    const { selectedId, chat } = this.#state;
    const message = text.trim();
    if (message === "" || selectedId === undefined || chat === undefined) return false;
    this.#keys += 1;
    const before = chat.dialog.map(keyOf);
    const unsent: Unsent = { key: this.#keys, text: message, before, failure: undefined };
    this.#unsent(selectedId, (all) => [...all, unsent]);
    this.#queue(selectedId, chat.id, unsent);
    return true;
  }

  /** Sends one again that failed, unless it turns out that it had arrived. */
  retry(key: number): void {
    const { selectedId, chat, unsent } = this.#state;
    const again = unsent[selectedId ?? ""]?.find((one) => one.key === key);
    if (selectedId === undefined || chat === undefined || again === undefined || again.failure === undefined) return;
    this.#unsent(selectedId, (all) => all.map((one) => (one.key === key ? { ...one, failure: undefined } : one)));
    this.#queue(selectedId, chat.id, again, true);
  }

  /** Gives one up that failed. */
  discard(key: number): void {
    const { selectedId } = this.#state;
    if (selectedId !== undefined) this.#unsent(selectedId, (all) => all.filter((one) => one.key !== key));
  }

  async say(said: { readonly status?: ChatStatus; readonly mood?: string }): Promise<void> {
    const answer = await this.#deps.call("chatUserData", { body: said });
    if (answer.ok) this.#set({ user: answer.data });
    else this.#deps.onFailure(answer.failure);
  }

  get #state(): ChatState {
    return this.#store.getState();
  }

  #set(change: Partial<ChatState>): void {
    this.#store.setState(change);
  }

  /** Reads the chat that is open, which also counts its messages as read. */
  async #read(): Promise<void> {
    const { selectedId: contactId } = this.#state;
    if (contactId === undefined) return;
    this.#reading += 1;
    const reading = this.#reading;
    this.#stopReading?.();
    const answer = await this.#deps.call("chat", { query: { contactId, userId: this.#deps.playerId } });
    if (reading !== this.#reading) return;
    if (!answer.ok) {
      if (this.#state.chat === undefined) this.#set({ chatLoad: "failed" });
      return;
    }
    const { chat, userChatList } = answer.data;
    const contacts = this.#contactsWith(contactId, () => undefined);
    this.#set({ chat: merged(chat, this.#state.chat), chatLoad: "ready", contacts });
    this.#listed(userChatList);
  }

  #queue(contactId: string, chatId: string, unsent: Unsent, again = false): void {
    this.#sending = this.#sending.then(async () => {
      const sent = await sendMessage(this.#deps, { contactId, chatId, unsent, again });
      const { key } = unsent;
      if (!sent.ok) {
        const { failure } = sent;
        this.#unsent(contactId, (all) => all.map((one) => (one.key === key ? { ...one, failure } : one)));
        return;
      }
      this.#unsent(contactId, (all) => all.filter((one) => one.key !== key));
      this.#appended(contactId, sent.message);
      this.#listed(sent.list);
    });
  }

  #receive({ chatId, contactId, message }: ChatTold): void {
    if (chatId === undefined || contactId === undefined || message === undefined) return void this.refresh();
    const { user, contacts, selectedId, isOpen } = this.#state;
    this.#appended(contactId, message);
    if (user !== undefined) this.#listed(listWith(user.chatList, chatId, contactId, message.time));
    if (message.who === this.#deps.playerId) return;
    if (isOpen && selectedId === contactId && this.#deps.isSeen()) {
      this.#stopReading?.();
      this.#stopReading = this.#deps.timers.after(READ_AFTER_MS, () => void this.#read());
      return;
    }
    const contact = contacts.find(({ id }) => id === contactId);
    // Somebody whom this page does not know yet.
    if (contact === undefined) return void this.refresh();
    this.#set({ contacts: this.#contactsWith(contactId, oneMore) });
    // One message until it is read: a contact who writes many messages does not cover the page with them.
    if (contact.unread === undefined) this.#deps.onNews(contact);
  }

  /** What another tab has sent is shown here too; what this one is sending is shown once. */
  #appended(contactId: string, message: ChatMessage): void {
    if (message.who === this.#deps.playerId) this.#unsent(contactId, (all) => withoutArrived(all, message));
    const { chat, selectedId } = this.#state;
    if (selectedId === contactId && chat !== undefined) this.#set({ chat: withMessage(chat, message) });
  }

  #listed(chatList: ChatList): void {
    const { user } = this.#state;
    if (user !== undefined) this.#set({ user: { ...user, chatList: newestList(chatList, user.chatList) } });
  }

  #contactsWith(contactId: string, unread: (before: string | undefined) => string | undefined): ChatContact[] {
    return this.#state.contacts.map((contact) => {
      if (contact.id !== contactId) return contact;
      const { unread: before, ...rest } = contact;
      const after = unread(before);
      return after === undefined ? rest : { ...rest, unread: after };
    });
  }

  #unsent(contactId: string, change: (all: readonly Unsent[]) => readonly Unsent[]): void {
    const { unsent } = this.#state;
    this.#set({ unsent: { ...unsent, [contactId]: change(unsent[contactId] ?? []) } });
  }
}

type Sending = {
  readonly contactId: string;
  readonly chatId: string;
  readonly unsent: Unsent;
  /** It was sent before, and it is not known whether it arrived. */
  readonly again: boolean;
};
type Sent =
  | { readonly ok: true; readonly message: ChatMessage; readonly list: ChatList }
  | { readonly ok: false; readonly failure: ApiFailure };

/** Sends a message. One that is sent again is looked for first: the call has no id of its own, and the message must not arrive twice. */
async function sendMessage(
  { call, playerId }: Pick<TeamChatDeps, "call" | "playerId">,
  { contactId, chatId, unsent: { text, before }, again }: Sending,
): Promise<Sent> {
  if (again) {
    const read = await call("chat", { query: { contactId, userId: playerId } });
    if (!read.ok) return read;
    const { chat, userChatList } = read.data;
    const arrived = chat.dialog.find(
      (message) => message.who === playerId && message.message === text && !before.includes(keyOf(message)),
    );
    if (arrived !== undefined) return { ok: true, message: arrived, list: userChatList };
  }
  const answer = await call("sendChatMessage", { body: { chatId, messageText: text, contactId } });
  if (!answer.ok) return answer;
  return { ok: true, message: answer.data.message, list: answer.data.userChatList };
}

/** The push of a message may come before the answer to its sending: then it is in the dialog already. */
function withoutArrived(all: readonly Unsent[], message: ChatMessage): readonly Unsent[] {
  const at = all.findIndex(
    ({ text, before, failure }) =>
      failure === undefined && text === message.message && !before.includes(keyOf(message)),
  );
  return at === -1 ? all : all.toSpliced(at, 1);
}

type Calls = typeof chatCalls;

/** What Team Chat is made of. */
export type TeamChatDeps = {
  /** Makes a call of the chat and never rejects. */
  call<N extends keyof Calls>(name: N, input: InputOf<Calls[N]>): Promise<ApiAnswer<z.output<Calls[N]["answer"]>>>;
  /** The notification socket's word of a message. */
  onPush(listener: (push: ChatTold) => void): () => void;
  /** The live connection has come back: what was missed is in no push. */
  onReturn(listener: () => void): () => void;
  readonly playerId: string;
  readonly timers: Timers;
  /** Somebody looks at the page. */
  isSeen(): boolean;
  /** A message came that is not before the player's eyes, the first that was not read of this contact. */
  onNews(contact: ChatContact): void;
  /** Something that the player wanted did not work. */
  onFailure(failure: ApiFailure): void;
};
