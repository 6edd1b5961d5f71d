import type { ChatTold } from "@longarm/contract/notification-socket";
import { expect, test } from "vitest";
import { withMessage } from "./chat-state.ts";
import type { TeamChatDeps } from "./team-chat.ts";
import { TeamChat } from "./team-chat.ts";

const OWN = "p_1";
const CONTACTS = ["p_elif", "p_can"].map((id) => ({ id, name: id, status: "online" as const }));

/** A chat whose platform answers at once, what it says of news, and the way to be told of a message. */
async function chatting() {
  const answers: Record<string, unknown> = {
    chatUser: { id: OWN, name: "Deniz", status: "online", chatList: [] },
    chatContacts: CONTACTS,
    chat: { chat: { id: "ch_1", dialog: [] }, userChatList: [] },
  };
  const news: string[] = [];
  const asked: string[] = [];
  const look = { isSeen: true };
  let hear: (told: ChatTold) => void = () => {};
  const chat = new TeamChat({
    call: (async (name: string) => {
      asked.push(name);
      return { ok: true, data: answers[name] };
    }) as unknown as TeamChatDeps["call"],
    onPush(told) {
      hear = told;
      return () => {};
    },
    onReturn: () => () => {},
    playerId: OWN,
    timers: { after: () => () => {} },
    isSeen: () => look.isSeen,
    onNews: ({ id }) => news.push(id),
    onFailure: () => {},
  });
  await expect.poll(() => chat.now.getState().load).toBe("ready");
  let id = 0;
  const says = (contactId: string) => {
    id += 1;
    const message = { id: `${id}`, who: contactId, message: "hey", time: new Date(id).toISOString() };
    hear({ chatId: `ch_${contactId}`, contactId, message });
  };
  const unread = () => chat.now.getState().contacts.map((contact) => contact.unread);
  return { chat, news, asked, look, says, unread };
}

test("whoever writes on and on is told of once, until it is read; the number goes on", async () => {
  const { chat, news, says, unread } = await chatting();
  for (let n = 0; n < 20; n += 1) says("p_elif");
  says("p_can");
  expect([news, unread()]).toEqual([
    ["p_elif", "p_can"],
    ["20", "1"],
  ]);
  await chat.select("p_elif");
  expect(unread()).toEqual([undefined, "1"]);
  chat.close();
  says("p_elif");
  expect(news).toEqual(["p_elif", "p_can", "p_elif"]);
});

test("what nobody looks at is not read: a hidden page that comes back to the platform asks for contacts only", async () => {
  const { chat, asked, look } = await chatting();
  await chat.select("p_elif");
  const reads = () => asked.filter((name) => name === "chat").length;
  const before = reads();
  look.isSeen = false;
  await chat.refresh();
  expect(reads()).toBe(before);
  look.isSeen = true;
  chat.seen();
  await expect.poll(reads).toBe(before + 1);
});

test("a message that comes late stands in its place, and one that comes twice stands once", () => {
  const said = (id: string, second: number) => ({
    ...{ id, who: "p_elif", message: id },
    time: new Date(second * 1_000).toISOString(),
  });
  const dialog = [said("1", 1), said("3", 3), said("2", 2), said("3", 3), said("4", 3)].reduce(withMessage, {
    id: "ch_1",
    dialog: [],
  }).dialog;
  expect(dialog.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
});
