import { afterAll, beforeAll, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";

/** Two nodes on one database and one bus. */
let one: PlayVenue;
let two: PlayVenue;
beforeAll(async () => {
  const sharedBus = inProcessBus({ clock: systemClock, onError: () => {} });
  one = await playVenue({ sharedBus, env: { NODE_ID: "one" } });
  two = await playVenue({ sharedBus, env: { NODE_ID: "two" }, database: one.database });
});
afterAll(async () => {
  await two.end(true);
  await one.end();
});

const validate = async (venue: PlayVenue, token: string) => (await venue.get("/v1/validate", token)).json().code;

async function notificationsOf(venue: PlayVenue, token: string) {
  const client = openSocket(`${venue.url}/notifications?token=${token}`);
  await client.opened;
  // Once it is answered, whatever the answer, its token has been looked at.
  client.send({ request: true, id: 1, method: "init", data: { id: "p_nobody" } });
  await eventually(() => expect(client.frames).toContainEqual(expect.objectContaining({ response: true, id: 1 })));
  return client;
}

test("signing out ends the token and its sockets at once on every node, and no other sign-in", async () => {
  const { token } = await one.player("leyla");
  const other = await one.signIn("leyla");
  const [here, there, stays] = [
    await notificationsOf(one, token),
    await notificationsOf(two, token),
    await notificationsOf(two, other),
  ];
  // Both nodes have looked at the token, and keep what they saw.
  expect([await validate(one, token), await validate(two, token)]).toEqual([undefined, undefined]);
  await eventually(() => expect(two.platform.sockets.open).toBe(2));
  await one.app.inject({ method: "POST", url: "/v1/player/logout", headers: { authorization: `Bearer ${token}` } });
  expect(await here.closed).toEqual({ code: 4000, reason: "logged out" });
  expect(await there.closed).toEqual({ code: 4000, reason: "logged out" });
  expect([await validate(one, token), await validate(two, token)]).toEqual([10, 10]);
  expect(await validate(two, other)).toBeUndefined();
  expect(stays.socket.readyState).toBe(stays.socket.OPEN);
  stays.socket.close();
});

test("a ban ends every sign-in on every node at once, and the play session with all credits back", async () => {
  const { machine } = await one.machine("ban-01");
  const player = await one.player("riza", 10_000);
  const elsewhere = await two.signIn("riza");
  const page = await two.page(player.token, "ban-01");
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: "ban-cash-in-1", amount: 6_000 })).toMatchObject({ is: "done" });
  expect(await validate(two, elsewhere)).toBeUndefined();

  expect(await one.platform.auth.ban(player.id)).toBe(true);
  expect(await page.closed).toEqual({ code: 4000, reason: "banned" });
  for (const venue of [one, two])
    for (const token of [player.token, elsewhere]) expect(await validate(venue, token)).toBe(10704);
  await expect(two.signIn("riza")).rejects.toThrow("10704");
  await one.inState("ban-01", "free");
  expect(machine.credit).toBe(0);
  expect(await one.ledgerOf(`player:${player.id}`)).toBe(10_000);

  expect(await two.platform.auth.ban(player.id), "once is enough").toBe(false);
  expect(await two.platform.auth.unban(player.id)).toBe(true);
  expect(await one.platform.auth.unban(player.id)).toBe(false);
  expect(await validate(one, await one.signIn("riza"))).toBeUndefined();
  await eventually(async () => expect(await validate(one, player.token), "what was ended stays ended").toBe(10));
});
