import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { ChatContact } from "@longarm/contract/template/team-chat";
import { ok } from "../answers.ts";
import type { ScriptedBackEnd } from "../back-end.ts";
import type { Scene } from "../scene.ts";

const OWN = "p_1";
const MINUTE_MS = 60_000;

/** Four people in each of the four states; the player has talked with the third and the first, in this order. */
const CONTACTS: readonly ChatContact[] = [
  { id: "p_elif", name: "Elif Kaya", avatar: "", status: "online", mood: "" },
  { id: "p_can", name: "Can Demir", avatar: "", status: "do-not-disturb", mood: "" },
  { id: "p_zeynep", name: "Zeynep Şahin", avatar: "", status: "away", mood: "", unread: "3" },
  { id: "p_9F3K", name: "", avatar: "", status: "offline", mood: "" },
];

export type ChatScript = {
  /** What the scripted platform keeps of each chat, by contact. */
  readonly dialogs: Map<string, ChatMessage[]>;
  /** A message of a contact, sent on the notification socket. */
  says(contactId: string, text: string): void;
};

/** A scene whose platform has a Team Chat with somebody in it. */
export function withChat(more: Scene = {}): Scene & { readonly chat: () => ChatScript } {
  let script: ChatScript | undefined;
  return {
    ...more,
    world(world) {
      world.signIn["team_chat"] = true;
      more.world?.(world);
    },
    before: async (page, backEnd) => {
      script = scriptChat(backEnd, Date.now());
      await more.before?.(page, backEnd);
    },
    chat: () => {
      if (script === undefined) throw new Error("The scene is not open");
      return script;
    },
  };
}

function scriptChat(backEnd: ScriptedBackEnd, now: number): ChatScript {
  let status = "online";
  let clock = now;
  const message = (id: number, who: string, text: string, agoMs = 0): ChatMessage => ({
    ...{ id: String(id), who, message: text },
    time: new Date(clock - agoMs).toISOString(),
  });
  const dialogs = new Map<string, ChatMessage[]>([
    [
      "p_zeynep",
      [
        message(1, OWN, "Nar 07 açık mı?", 90 * MINUTE_MS),
        message(2, "p_zeynep", "Evet, az önce açıldı.", 62 * MINUTE_MS),
        message(3, "p_zeynep", "Jackpot 1.284.930 oldu!", 61 * MINUTE_MS),
        message(4, "p_zeynep", "Gelirsen haber ver.", 5 * MINUTE_MS),
      ],
    ],
    ["p_elif", [message(1, "p_elif", "Selam", 26 * 60 * MINUTE_MS)]],
  ]);
  const listed = ["p_zeynep", "p_elif"];
  const timeOf = (contactId: string) => dialogs.get(contactId)?.at(-1)?.time ?? new Date(clock).toISOString();
  const chatList = () =>
    listed.map((contactId) => ({ chatId: `ch_${contactId}`, contactId, lastMessageTime: timeOf(contactId) }));
  const toTheTop = (contactId: string) => {
    const at = listed.indexOf(contactId);
    if (at !== -1) listed.splice(at, 1);
    listed.unshift(contactId);
  };
  const write = (contactId: string, who: string, text: string): ChatMessage => {
    clock += 1;
    const dialog = dialogs.get(contactId) ?? [];
    const written = message(dialog.length + 1, who, text);
    dialogs.set(contactId, [...dialog, written]);
    toTheTop(contactId);
    return written;
  };
  const user = () => ({ id: OWN, name: "Deniz Aydın", avatar: "", status, mood: "", chatList: chatList() });
  const read = new Set<string>();
  backEnd.script("GET /api/chat/contacts", () =>
    ok(CONTACTS.map(({ unread, ...contact }) => ({ ...contact, ...(unread && !read.has(contact.id) && { unread }) }))),
  );
  backEnd.script("GET /api/chat/user", () => ok(user()));
  backEnd.script("POST /api/chat/user/data", ({ body }) => {
    status = (body as { status?: string }).status ?? status;
    return ok(user());
  });
  backEnd.script("GET /api/chat/get-chat", ({ query }) => {
    const contactId = query.get("contactId") ?? "";
    if (!dialogs.has(contactId)) {
      dialogs.set(contactId, []);
      listed.unshift(contactId);
    }
    read.add(contactId);
    return ok({ chat: { id: `ch_${contactId}`, dialog: dialogs.get(contactId) }, userChatList: chatList() });
  });
  backEnd.script("POST /api/chat/send-message", ({ body }) => {
    const { contactId, messageText } = body as { contactId: string; messageText: string };
    return ok({ message: write(contactId, OWN, messageText), userChatList: chatList() });
  });
  return {
    dialogs,
    says: (contactId, text) =>
      backEnd.push("chat", { chatId: `ch_${contactId}`, contactId, message: write(contactId, contactId, text) }),
  };
}
