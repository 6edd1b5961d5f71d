import { CHAT_TEXT_MAX } from "@longarm/contract/template/team-chat";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { CONTACTS_MAX, MESSAGES_KEPT, UNANSWERED_MAX } from "./index.ts";

/* Two nodes on one database and one bus, as in a platform of several processes. */
const bus = inProcessBus({ clock: systemClock, onError: () => {} });
const ENV = { TEAM_CHAT: "yes", LOGINS_PER_MINUTE_ADDRESS: "10000", CALLS_PER_MINUTE: "100000" };
let venue: TestVenue;
let other: TestVenue;
const ends: (() => void)[] = [];
let players = 0;

beforeAll(async () => {
  venue = await testVenue({ env: { ...ENV, NODE_ID: "one" }, sharedBus: bus });
  other = await testVenue({ env: { ...ENV, NODE_ID: "two" }, sharedBus: bus, database: venue.db });
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
afterAll(async () => {
  await other?.close(true);
  await venue?.close();
  await bus.close();
});

type Person = { readonly id: string; readonly token: string };

async function person(name: string, more: Parameters<TestVenue["addPlayer"]>[1] = {}): Promise<Person> {
  players += 1;
  const username = `talker${players}`;
  const id = await venue.addPlayer(username, { name, group: "hall-1", ...more });
  return { id, token: await venue.signIn(username) };
}

const get = ({ token }: Person, path: string) => venue.get(`/api/chat/${path}`, token);
const post = ({ token }: Person, path: string, payload: object, at = venue) =>
  at.app.inject({
    method: "POST",
    url: `/api/chat/${path}`,
    headers: { authorization: `Bearer ${token}` },
    payload,
  });
const open = (who: Person, contact: Person, userId = who.id) =>
  get(who, `get-chat?contactId=${encodeURIComponent(contact.id)}&userId=${encodeURIComponent(userId)}`);
const send = (who: Person, contact: Person, chatId: string, messageText: string, at = venue) =>
  post(who, "send-message", { chatId, contactId: contact.id, messageText }, at);
const idsOf = (reply: { json(): { id: string }[] }) => reply.json().map(({ id }) => id);
const textsOf = (reply: { json(): { chat: { dialog: { message: string }[] } } }) =>
  reply.json().chat.dialog.map(({ message }) => message);

/** A page with its notification socket; answers what it is told of chats. */
async function page(who: Person, at: TestVenue): Promise<{ told(): unknown[]; close(): void }> {
  const base = (await at.platform.listen().catch(() => null)) ?? addresses.get(at) ?? "";
  addresses.set(at, base);
  const {
    socket,
    frames,
    opened,
    send: say,
  } = openSocket(`${base.replace("http", "ws")}/notifications?token=${who.token}`);
  ends.push(() => socket.terminate());
  await opened;
  say({ request: true, id: 1, method: "init", data: { id: who.id } });
  const of = (method: string) =>
    (frames as { method?: string; data?: unknown }[]).filter((frame) => frame.method === method);
  await expect.poll(() => of("balance").length).toBeGreaterThan(0);
  return { told: () => of("chat").map(({ data }) => data), close: () => socket.terminate() };
}
const addresses = new Map<TestVenue, string>();

describe("contacts", () => {
  test("R-7-19: are the players of the own group by name, and nobody sees more of them than that", async () => {
    const [me, elif, nameless] = [await person("Deniz"), await person("Elif", { lastname: "Kaya" }), await person("")];
    const stranger = await person("Stranger", { group: "hall-2" });
    const banned = await person("Banned");
    await venue.platform.auth.ban(banned.id);
    const reply = await get(me, "contacts?anything=%00");
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(idsOf(reply)).toEqual(expect.arrayContaining([elif.id, nameless.id]));
    expect(idsOf(reply)).not.toEqual(expect.arrayContaining([me.id]));
    for (const { id } of [me, stranger, banned]) expect(idsOf(reply)).not.toContain(id);
    const told = reply.json().find(({ id }: { id: string }) => id === elif.id);
    expect(told).toEqual({ id: elif.id, name: "Elif Kaya", avatar: "", status: "offline", mood: "" });
    expect(reply.body).not.toContain("talker");
  });

  test("a demo player is a contact only where demo players may sign in", async () => {
    const me = await person("Real", { group: "demo-hall" });
    const demo = await venue.addPlayer("demo.contact", { group: "demo-hall", demo: true });
    expect(idsOf(await get(me, "contacts"))).toEqual([demo]);
    const shown = await testVenue({ env: { ...ENV, HOST: "0.0.0.0" }, database: venue.db });
    expect((await shown.get("/api/chat/contacts", me.token)).json()).toEqual([]);
    await shown.close(true);
  });

  test("are at most so many: whom one talks to, then those who signed in last", async () => {
    const me = await person("Popular", { group: "crowd" });
    await sql`insert into player (id, username, username_key, password, player_group, last_logon)
      select 'p_crowd' || n, 'crowd' || n, 'crowd' || n, 'none', 'crowd', now() - n * interval '1 hour'
      from generate_series(1, ${CONTACTS_MAX + 5}) n`.execute(venue.db.kysely);
    const last = { id: `p_crowd${CONTACTS_MAX + 5}`, token: "" };
    expect(idsOf(await get(me, "contacts"))).not.toContain(last.id);
    await open(me, last);
    const ids = idsOf(await get(me, "contacts"));
    expect(ids).toHaveLength(CONTACTS_MAX);
    expect(ids.slice(0, 2)).toEqual([last.id, "p_crowd1"]);
  });
});

describe("a chat", () => {
  test("R-7-20, R-7-22, R-7-23: is begun by opening it, first in the list, and holds what both say", async () => {
    const [me, elif, can] = [await person("Deniz"), await person("Elif"), await person("Can")];
    await open(me, can);
    const opened = await open(me, elif);
    expect(opened.json()).toEqual({
      chat: { id: expect.stringMatching(/^ch_/), dialog: [] },
      userChatList: [
        { chatId: opened.json().chat.id, contactId: elif.id, lastMessageTime: expect.stringMatching(/Z$/) },
        expect.objectContaining({ contactId: can.id }),
      ],
    });
    const chatId = opened.json().chat.id as string;
    expect((await get(elif, "user")).json().chatList, "nobody has said anything to Elif").toEqual([]);
    const sent = await send(me, elif, chatId, "  Merhaba\r\n<b>Elif</b>\u0007 ");
    expect(sent.json()).toEqual({
      message: { id: "1", who: me.id, message: "Merhaba\n<b>Elif</b>", time: expect.stringMatching(/Z$/) },
      userChatList: expect.any(Array),
    });
    expect((await get(elif, "user")).json()).toMatchObject({
      ...{ id: elif.id, name: "Elif", status: "online", mood: "" },
      chatList: [{ chatId, contactId: me.id, lastMessageTime: sent.json().message.time }],
    });
    await send(elif, me, chatId, "Selam");
    expect(textsOf(await open(me, elif))).toEqual(["Merhaba\n<b>Elif</b>", "Selam"]);
    expect((await open(elif, me)).json().chat.id).toBe(chatId);
  });

  test("tells how much was not read, until it is opened", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const chatId = (await open(me, elif)).json().chat.id;
    const unread = async () => (await get(elif, "contacts")).json().find(({ id }: Person) => id === me.id)?.unread;
    expect(await unread()).toBeUndefined();
    for (const text of ["one", "two"]) await send(me, elif, chatId, text);
    expect(await unread()).toBe("2");
    await open(elif, me);
    expect(await unread()).toBeUndefined();
    await sql`update team_chat_member set unread = 150 where player_id = ${elif.id}`.execute(venue.db.kysely);
    expect(await unread()).toBe("99+");
  });

  test("keeps its newest messages, numbered without gaps also when both write at once", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const chatId = (await open(me, elif)).json().chat.id as string;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0 ? send(me, elif, chatId, `m${n}`) : send(elif, me, chatId, `e${n}`),
      ),
    );
    const numbers = (await open(me, elif)).json().chat.dialog.map(({ id }: { id: string }) => Number(id));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    await sql`insert into team_chat_message (chat_id, number, who, message)
      select ${chatId}, n, ${elif.id}, 'old' from generate_series(21, ${MESSAGES_KEPT}) n`.execute(venue.db.kysely);
    await sql`update team_chat set last_number = ${MESSAGES_KEPT} where id = ${chatId}`.execute(venue.db.kysely);
    await send(me, elif, chatId, "the last");
    const kept = (await open(me, elif)).json().chat.dialog;
    expect(kept).toHaveLength(MESSAGES_KEPT);
    expect([kept[0].id, kept.at(-1).message]).toEqual(["2", "the last"]);
  });

  test("begun by both at once is one", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const opened = await Promise.all([open(me, elif), open(elif, me), open(me, elif), open(elif, me)]);
    expect(new Set(opened.map((reply) => reply.json().chat.id)).size).toBe(1);
  });
});

describe("what is not one's own", () => {
  test("another's userId, another group, oneself, a banned player and an unknown one answer the same, and write nothing", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const stranger = await person("Stranger", { group: "hall-2" });
    const banned = await person("Banned");
    const chatId = (await open(me, elif)).json().chat.id as string;
    const withBanned = (await open(me, banned)).json().chat.id as string;
    await venue.platform.auth.ban(banned.id);
    const count = async () =>
      (await sql<{ n: number }>`select count(*) as n from team_chat_message`.execute(venue.db.kysely)).rows[0]?.n;
    const before = await count();
    const nobody = { id: "p_nobody", token: "" };
    const replies = [
      await open(me, elif, elif.id),
      ...(await Promise.all([stranger, me, banned, nobody, { id: "zero\0", token: "" }].map((who) => open(me, who)))),
      await send(stranger, elif, chatId, "I am not of this chat"),
      await send(elif, stranger, chatId, "nor is she"),
      await send(me, banned, withBanned, "gone"),
      await send(me, elif, "ch_nothing", "no such chat"),
      await send(me, banned, chatId, "a chat of another"),
    ];
    for (const reply of replies) {
      expect(reply.statusCode).toBe(404);
      expect(reply.json()).toEqual({ code: 40000, ErrorMessage: "Invalid request" });
    }
    expect(await count()).toBe(before);
    expect((await get(me, "user")).json().chatList.map(({ contactId }: { contactId: string }) => contactId)).toEqual([
      elif.id,
    ]);
  });

  test("R-5-19: a message of blanks, one too long and one of another type are refused", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const chatId = (await open(me, elif)).json().chat.id as string;
    for (const text of ["", "  \n\t ", "\u0000\u0007", "x".repeat(CHAT_TEXT_MAX + 1), 7, null, ["x"], { $ne: "" }])
      expect((await send(me, elif, chatId, text as string)).statusCode, JSON.stringify(text)?.slice(0, 20)).toBe(400);
    expect((await send(me, elif, chatId, "ğ😀".repeat(600))).statusCode).toBe(200);
    expect((await send(me, elif, chatId, "half \ud83d")).json().message.message).toBe("half \ufffd");
  });

  test("nobody floods a contact who does not answer, also with many at once; an answer opens the chat again", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const chatId = (await open(me, elif)).json().chat.id as string;
    const replies = await Promise.all(Array.from({ length: UNANSWERED_MAX + 5 }, () => send(me, elif, chatId, "hey")));
    const refused = replies.filter(({ statusCode }) => statusCode !== 200);
    expect(refused.map((reply) => reply.json())).toEqual(
      Array.from({ length: 5 }, () => ({ code: 60071, ErrorMessage: expect.any(String) })),
    );
    expect(textsOf(await open(elif, me))).toHaveLength(UNANSWERED_MAX);
    await send(elif, me, chatId, "stop");
    expect((await send(me, elif, chatId, "sorry")).statusCode).toBe(200);
    expect(textsOf(await open(elif, me)).slice(-2)).toEqual(["stop", "sorry"]);
  });

  test("when the other one opened the chat without a word is not told", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif")];
    const chatId = (await open(me, elif)).json().chat.id as string;
    await sql`update team_chat set created_at = '2020-01-01' where id = ${chatId}`.execute(venue.db.kysely);
    const [entry] = (await open(elif, me)).json().userChatList;
    expect(entry).toMatchObject({ chatId, lastMessageTime: expect.not.stringMatching(/^2020/) });
  });

  test("a locked page is told of no message until it is unlocked", async () => {
    const [me, elif] = [await person("Deniz"), await person("Elif", { pin: "1234" })];
    const chatId = (await open(me, elif)).json().chat.id as string;
    const [mine, hers] = [await page(me, venue), await page(elif, venue)];
    const lock = {
      method: "POST",
      url: "/v1/player/lock",
      headers: { authorization: `Bearer ${elif.token}` },
    } as const;
    expect((await venue.app.inject(lock)).statusCode).toBe(200);
    await send(me, elif, chatId, "for you alone");
    await expect.poll(() => mine.told()).toHaveLength(1);
    const unlock = { ...lock, url: "/v1/player/unlock", payload: { pin: "1234" } };
    expect((await venue.app.inject(unlock)).statusCode).toBe(200);
    const { message } = (await send(me, elif, chatId, "are you back?")).json();
    await expect.poll(() => hers.told()).toEqual([{ chatId, contactId: me.id, message }]);
  });

  test("more messages than anybody types in a minute are refused, and no log has a text", async () => {
    const [me, elif, can] = [await person("Deniz"), await person("Elif"), await person("Can")];
    const chatId = (await open(me, elif)).json().chat.id as string;
    const withCan = (await open(me, can)).json().chat.id as string;
    const replies = await Promise.all(
      Array.from({ length: 61 }, (_, n) =>
        n % 2 === 0 ? send(me, elif, chatId, "a secret of mine") : send(me, can, withCan, "a secret of mine"),
      ),
    );
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1);
    expect((await open(me, elif)).statusCode).toBe(200);
    expect([...venue.lines, ...other.lines].join("\n")).not.toContain("a secret of mine");
  });
});

test("R-7-21: status and mood are kept, each for itself, and the others see them while a page is open", async () => {
  const [me, elif] = [await person("Deniz"), await person("Elif")];
  expect((await post(me, "user/data", { status: "do-not-disturb", admin: true })).json()).toMatchObject({
    ...{ id: me.id, status: "do-not-disturb", mood: "" },
  });
  expect((await post(me, "user/data", { mood: " at\u0000 Nar 07 " })).json()).toMatchObject({
    ...{ status: "do-not-disturb", mood: "at Nar 07" },
  });
  expect((await post(me, "user/data", {})).json()).toMatchObject({ status: "do-not-disturb" });
  for (const bad of [{ status: "gone" }, { mood: "x".repeat(141) }, { status: null }, []])
    expect((await post(me, "user/data", bad)).statusCode).toBe(400);
  const seen = async () => {
    const contact = (await get(elif, "contacts")).json().find(({ id }: Person) => id === me.id);
    return [contact.status, contact.mood];
  };
  expect(await seen()).toEqual(["offline", "at Nar 07"]);
  // The page is open on the other node.
  const { close } = await page(me, other);
  await expect.poll(seen).toEqual(["do-not-disturb", "at Nar 07"]);
  close();
  await expect.poll(seen).toEqual(["offline", "at Nar 07"]);
});

test("a message is told at once to the pages of both, on whatever node they are, and to nobody else", async () => {
  const [me, elif, can] = [await person("Deniz"), await person("Elif"), await person("Can")];
  const pages = [await page(me, venue), await page(elif, other), await page(can, other)] as const;
  const chatId = (await open(me, elif)).json().chat.id as string;
  const { message } = (await send(me, elif, chatId, "canlı")).json();
  await expect.poll(() => pages[0].told()).toEqual([{ chatId, contactId: elif.id, message }]);
  await expect.poll(() => pages[1].told()).toEqual([{ chatId, contactId: me.id, message }]);
  await send(elif, me, chatId, "evet", other);
  await expect.poll(() => pages[0].told()).toHaveLength(2);
  expect(pages[2].told()).toEqual([]);
});

test("a node forgets who was there when it ends, and what a dead one of its name has left", async () => {
  const present = async () =>
    (await sql<{ id: string }>`select node_id as id from team_chat_presence`.execute(venue.db.kysely)).rows;
  await sql`insert into team_chat_presence (player_id, node_id) values ('p_left', 'three')`.execute(venue.db.kysely);
  const third = await testVenue({ env: { ...ENV, NODE_ID: "three" }, sharedBus: bus, database: venue.db });
  await expect.poll(present).not.toContainEqual({ id: "three" });
  await page(await person("Deniz"), third);
  await expect.poll(present).toContainEqual({ id: "three" });
  await third.close(true);
  expect(await present()).not.toContainEqual({ id: "three" });
});

test("without TEAM_CHAT there is nothing of it, and no sign-in speaks of it", async () => {
  const off = await testVenue({ env: { ...ENV, TEAM_CHAT: "no" }, database: venue.db });
  const me = await person("Deniz");
  for (const path of ["contacts", "user", "get-chat?contactId=x&userId=y"])
    expect((await off.get(`/api/chat/${path}`, me.token)).statusCode).toBe(404);
  expect((await send(me, me, "x", "y", off)).statusCode).toBe(404);
  expect((await off.get("/v1/validate", me.token)).json()).not.toHaveProperty("team_chat");
  expect((await venue.get("/v1/validate", me.token)).json()).toHaveProperty("team_chat", true);
  await off.close(true);
});
