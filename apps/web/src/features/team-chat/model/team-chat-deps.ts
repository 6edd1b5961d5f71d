import type { ChatTold } from "@longarm/contract/notification-socket";
import type { ChatContact, chatCalls } from "@longarm/contract/template/team-chat";
import type { Timers } from "@longarm/link/socket";
import type * as z from "zod/mini";
import type { ApiAnswer, InputOf } from "../../../shared/api/client.ts";
import type { ApiFailure } from "../../../shared/api/failure.ts";

type Calls = typeof chatCalls;

/** What Team Chat is made of. */
export type TeamChatDeps = {
  /** Makes a call of the chat and never rejects. */
  call<N extends keyof Calls>(name: N, input: InputOf<Calls[N]>): Promise<ApiAnswer<z.output<Calls[N]["answer"]>>>;
  /** The notification socket's word of a message. */
  onTold(hear: (told: ChatTold) => void): () => void;
  /** The live connection has come back: what was missed is in no push. */
  onReturn(hear: () => void): () => void;
  readonly playerId: string;
  readonly timers: Timers;
  /** Somebody looks at the page. */
  isSeen(): boolean;
  /** A message came that is not before the player's eyes, the first that was not read of this contact. */
  onNews(contact: ChatContact): void;
  /** Something that the player asked for did not work. */
  onFailure(failure: ApiFailure): void;
};
