import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { ChatList } from "@longarm/contract/template/team-chat";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import type { Unsent } from "./chat-state.ts";
import { keyOf } from "./chat-state.ts";
import type { TeamChatDeps } from "./team-chat-deps.ts";

export type Sending = {
  readonly contactId: string;
  readonly chatId: string;
  readonly unsent: Unsent;
  /** It was sent before, and nobody knows whether it arrived. */
  readonly again: boolean;
};
export type Sent =
  | { readonly ok: true; readonly message: ChatMessage; readonly list: ChatList }
  | { readonly ok: false; readonly failure: ApiFailure };

/** Sends a message. One that is sent again is looked for first: the call has no id of its own, and nobody shall read a message twice. */
export async function sendMessage(
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

/** The push of a message may come before the answer to its sending: then it stands in the dialog already. */
export function withoutArrived(all: readonly Unsent[], message: ChatMessage): readonly Unsent[] {
  const at = all.findIndex(
    ({ text, before, failure }) =>
      failure === undefined && text === message.message && !before.includes(keyOf(message)),
  );
  return at === -1 ? all : all.toSpliced(at, 1);
}
