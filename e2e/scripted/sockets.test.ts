import { expect, test } from "vitest";
import { setUpStage } from "./game-stage.ts";

const stage = setUpStage();

test("R-1-15, R-7-33, R-7-34, R-7-39: the notification socket carries the token, and says who listens", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  const [socket] = backEnd.opened.notifications;
  const address = new URL(socket?.url ?? "", backEnd.url);
  expect(address.pathname).toBe("/notifications");
  expect(address.searchParams.get("token")).toBe(backEnd.token);
  expect(socket?.frames[0]).toMatchObject({ request: true, method: "init", data: { id: "p_1" } });
});

test("R-7-35, R-3-18: a pushed machine status changes its cabinet", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("[data-machine=m_2][data-lamp=available]").waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.push("machine", { id: "m_2", status: 0 });
  await page.locator("[data-machine=m_2]:not([data-lamp=available])").waitFor();
});

test("R-7-36, R-3-19: a pushed balance, in minor units, is shown in the header", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.push("balance", { balance: 5_000 });
  await expect.poll(() => page.locator("header").first().textContent()).toContain("50.00");
});

test("R-7-38: a notification socket that cannot be opened is logged, and the page works without it", async () => {
  const { page, complaints } = await stage.open("/lobby", { before: (_, backEnd) => backEnd.refuseSockets(true) });
  await page.locator("article").first().waitFor();
  await expect.poll(() => complaints.join("\n")).toContain("notification");
  expect(complaints.join("\n")).not.toContain("token=");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.locator("[data-machine=m_3] a").click();
  await page.waitForURL("**/game/m_3/**");
});

test("R-1-14, R-7-30, R-7-31, R-7-39: a game opens one socket to its machine, with the token, and asks for init first", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("[data-machine=m_3] a").click();
  await page.waitForURL("**/game/m_3/**");
  await expect.poll(() => backEnd.opened.game[0]?.frames.length).toBeGreaterThan(0);
  expect(backEnd.opened.game).toHaveLength(1);
  const [socket] = backEnd.opened.game;
  const address = new URL(socket?.url ?? "", backEnd.url);
  expect([address.pathname, address.searchParams.get("machine")]).toEqual(["/game", "m_3"]);
  expect(address.searchParams.get("token")).toBe(backEnd.token);
  expect(socket?.frames[0]).toMatchObject({ method: "init", data: { machineID: "m_3", token: backEnd.token } });
});

test("with `socketTokenInAddress: false` the token is in the header of both sockets, and in no address", async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    world: ({ settings }) => void Object.assign(settings, { socketTokenInAddress: false }),
  });
  const addresses: string[] = [];
  page.on("request", (request) => void addresses.push(request.url()));
  page.on("websocket", (socket) => void addresses.push(socket.url()));
  await page.locator("[data-machine=m_3] a").click();
  await page.waitForURL("**/game/m_3/**");
  await expect.poll(() => backEnd.opened.game[0]?.frames.length).toBeGreaterThan(0);
  for (const socket of [backEnd.opened.notifications[0], backEnd.opened.game[0]]) {
    expect(socket?.url).not.toContain("token");
    expect(socket?.offered.split(/, */)).toEqual(["protoo", `token.${backEnd.token}`]);
  }
  expect(addresses.filter((address) => address.includes(backEnd.token.slice(-20)))).toEqual([]);
});

test("R-9-44, R-9-45: settings move the API and both sockets to other addresses", async () => {
  const requested: string[] = [];
  await stage
    .open("/lobby", {
      world(world) {
        world.hosts = ["http://127.0.0.1:9", "ws://127.0.0.1:9"];
        Object.assign(world.settings, { apiUrl: "http://127.0.0.1:9/v7", notificationUrl: "ws://127.0.0.1:9/news" });
        Object.assign(world.settings, { gameUrl: "ws://127.0.0.1:9/play" });
      },
      async before(page, { token, world }) {
        page.on(
          "websocket",
          (socket) => void requested.push(new URL(socket.url()).origin + new URL(socket.url()).pathname),
        );
        // The other host, as far as this page can see.
        await page.route("http://127.0.0.1:9/v7/**", (route) => {
          requested.push(route.request().url());
          const json = { token, ...world.signIn, ...world.balance };
          return route.fulfill({
            json,
            headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" },
          });
        });
      },
    })
    .then(({ page, backEnd }) => page.goto(`${backEnd.url}/game/m_3/Mercan`));
  await expect
    .poll(() => requested)
    .toEqual(
      expect.arrayContaining(["http://127.0.0.1:9/v7/validate", "ws://127.0.0.1:9/news", "ws://127.0.0.1:9/play"]),
    );
});

test("R-9-43: ICE servers of the settings reach the browser's connection", async () => {
  const iceServers = [{ urls: ["stun:127.0.0.1:9"], username: "u", credential: "never-logged" }];
  const { page, complaints } = await stage.open("/game/m_3/Mercan", {
    world: ({ settings }) => {
      settings["iceServers"] = iceServers;
    },
    async before(page) {
      await page.addInitScript(() => {
        const Real = RTCPeerConnection;
        Object.assign(window, {
          given: [],
          RTCPeerConnection: class extends Real {
            constructor(configuration?: RTCConfiguration) {
              super(configuration);
              (window as unknown as { given: unknown[] }).given.push(configuration);
            }
          },
        });
      });
    },
  });
  const given = () => page.evaluate(() => (window as unknown as { given: RTCConfiguration[] }).given[0]?.iceServers);
  await expect.poll(given).toMatchObject(iceServers);
  expect(complaints.join("\n")).not.toContain("never-logged");
});

test("a platform that sent beats and then is silent is noticed although its socket stays open, and the page comes back by a new one", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await expect.poll(() => backEnd.listening()).toBe(1);
  const first = backEnd.opened.notifications.length;
  backEnd.push("beat", { everyMs: 500 });
  await expect.poll(() => backEnd.opened.notifications.length).toBeGreaterThan(first);
  await expect.poll(() => backEnd.opened.notifications.at(-1)?.frames[0]).toMatchObject({ method: "init" });
  // Without beats nothing is missed: this one stays.
  backEnd.push("balance", { balance: 5_000 });
  await expect.poll(() => page.locator("header").first().textContent()).toContain("50.00");
});
