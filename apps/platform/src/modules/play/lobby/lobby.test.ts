import { Brand, LobbyMachine } from "@longarm/contract/lobby-lists";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { quietPlay, testVenue } from "../../../testing/test-venue.ts";
import type { MachineView } from "../session/index.ts";
import { brandIdOf, brandsOf } from "./brands.ts";

const machine = (id: string, more: Partial<MachineView> = {}): MachineView => ({
  id,
  name: id.toUpperCase(),
  brand: "Nar",
  status: 1,
  watchable: true,
  waiting: undefined,
  called: false,
  denomination: 1,
  jackpots: [],
  stillTag: null,
  reservation: null,
  mine: false,
  until: null,
  ...more,
});

describe("brands", () => {
  test.each([
    ["Nar", "nar"],
    ["Kuzey Işığı", "kuzey-isigi"],
    ["İnci & Mercan!", "inci-mercan"],
    ["All", "all-brand"],
    ["brands", "brands-brand"],
    ["../../etc", "etc"],
  ])("%s has the id %s", (name, id) => expect(brandIdOf(name)).toBe(id));

  test("a name without plain letters has one too, always the same", () => {
    expect(brandIdOf("نار")).toMatch(/^b-[0-9a-f]{12}$/);
    expect(brandIdOf("نار")).toBe(brandIdOf("نار"));
    expect(brandIdOf("نار")).not.toBe(brandIdOf("مرجان"));
  });

  test("count machines and show shared jackpots once, largest first", () => {
    const mini = (amount: number) => ({ name: "Mini", amount });
    const machines = [
      machine("nar-01", { jackpots: [{ name: "Grand", amount: 12_849_304 }, mini(100)] }),
      machine("pera-01", { brand: "Pera" }),
      machine("nar-02", { jackpots: [mini(864_121)] }),
    ];
    expect(brandsOf(machines)).toEqual([
      { id: "nar", name: "Nar", jackpot: "12849304,864121", jackpotNames: ["Grand", "Mini"], machineCount: 2 },
      { id: "pera", name: "Pera", jackpot: "", jackpotNames: [], machineCount: 1 },
    ]);
  });
});

describe("the calls", () => {
  let venue: TestVenue;
  let token: string;
  const webp = Buffer.from("RIFF....WEBPVP8 ");
  let machines: MachineView[];
  beforeAll(async () => {
    machines = [
      machine("nar-01", { stillTag: "t1", stakes: { min: 200, max: 100_000 } }),
      machine("nar-02", { status: 3, mine: true, until: "2026-11-21T10:00:00.000Z" }),
      machine("pera-01", { brand: "Pera", status: 0 }),
    ];
    venue = await testVenue({
      makePlay: quietPlay({
        machinesFor: async () => machines,
        still: async (id) => (id === "nar-01" ? { tag: "t1", webp } : undefined),
      }),
    });
    await venue.addPlayer("hale");
    token = await venue.signIn("hale");
  });
  afterAll(() => venue.close());

  test("answer what the contract says", async () => {
    const all = (await venue.get("/v1/machine/all", token)).json();
    expect(z.safeParse(z.array(LobbyMachine), all).success).toBe(true);
    expect(all).toEqual([
      {
        id: "nar-01",
        name: "NAR-01",
        status: 1,
        brand: "Nar",
        watchable: true,
        denomination: 1,
        stakes: { min: 200, max: 100_000 },
        image: expect.stringContaining("/v1/machine/nar-01/still?"),
      },
      {
        id: "nar-02",
        name: "NAR-02",
        status: 3,
        brand: "Nar",
        watchable: true,
        denomination: 1,
        mine: true,
        until: "2026-11-21T10:00:00.000Z",
      },
      { id: "pera-01", name: "PERA-01", status: 0, brand: "Pera", watchable: true, denomination: 1 },
    ]);
    const brands = (await venue.get("/v1/machine/brands", token)).json();
    expect(z.safeParse(z.array(Brand), brands).success).toBe(true);
    expect((await venue.get("/v1/machine/nar", token)).json()).toEqual(all.slice(0, 2));
    expect((await venue.get("/v1/machine/gone", token)).json()).toEqual([]);
  });

  test.each([
    "/v1/machine/all",
    "/v1/machine/brands",
    "/v1/machine/nar",
    "/v1/player/balance",
    "/v1/machine/nar-01/still",
  ])("%s needs a token", async (url) => {
    expect((await venue.get(url)).json()).toMatchObject({ code: 10 });
    expect((await venue.get(url, "garbage")).statusCode).toBe(401);
  });

  test.each(["/v1/machine/' or 1=1 --", "/v1/machine/__proto__", "/v1/machine/%00", `/v1/machine/${"x".repeat(100)}`])(
    "%s names no brand",
    async (url) => {
      const reply = await venue.get(url, token);
      expect(reply.statusCode === 400 || reply.statusCode === 404 || reply.body === "[]").toBe(true);
    },
  );

  test("a still is shown for its signed address, with an ETag", async () => {
    const [{ image }] = (await venue.get("/v1/machine/all", token)).json();
    const reply = await venue.get(image);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "private, max-age=3600, immutable",
      etag: '"t1"',
    });
    const newer = await venue.get(image.replace("v=t1", "v=t0"));
    expect([newer.statusCode, newer.headers["cache-control"]]).toEqual([200, "private, max-age=10"]);
    expect(reply.rawPayload.equals(webp)).toBe(true);
    expect((await venue.get(image, undefined, { "if-none-match": '"t1"' })).statusCode).toBe(304);
    expect((await venue.get("/v1/machine/nar-01/still", token)).statusCode).toBe(200);
    expect((await venue.get("/v1/machine/nar-02/still", token)).statusCode).toBe(404);
    const first = await venue.get("/v1/machine/nar-02/still?v=first", token);
    expect([first.statusCode, first.headers["cache-control"]]).toEqual([204, "no-store"]);
  });

  test("a signed address is good for its machine and its time only", async () => {
    const [{ image }] = (await venue.get("/v1/machine/all", token)).json();
    const refused = async (url: string) => (await venue.get(url)).statusCode;
    expect(await refused(image.replace("nar-01", "nar-02"))).toBe(401);
    expect(await refused(image.replace(/until=\d/, "until=9"))).toBe(401);
    expect(await refused(image.replace(/sign=.*/, "sign="))).toBe(401);
    expect(await refused(image.replace(/until=\d+/, "until=x"))).toBe(401);
    expect(await refused(image.replace("sign=", "sign=a&sign="))).toBe(400);
    venue.clock.shift(2 * 3_600_000);
    expect(await refused(image)).toBe(401);
  });
});
