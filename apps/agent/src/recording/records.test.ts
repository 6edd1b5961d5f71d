import { createHash } from "node:crypto";
import type { ClipManifest } from "@longarm/contract/recording";
import { afterEach, describe, expect, test } from "vitest";
import { openJournal } from "../journal/journal.ts";
import { MachineReport } from "../journal/records.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import { createGrants } from "../seat/grants.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { MemoryFiles } from "../testing/memory-files.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import { INDEX_NAME, readIndex, sealedLines, sha256 } from "./index-file.ts";
import { sessionKeyOf } from "./recorded-session.ts";
import type { RecordOrder } from "./recorder.ts";
import { openRecords } from "./records.ts";
import type { Segment } from "./segment.ts";
import { openSegmentFile, partName, segmentName } from "./segment.ts";
import { daysMs } from "./shelf.ts";

/*
 * The core's side of the records, on a disk in memory: what the media process does is played by hand.
 */

const key = Buffer.alloc(32, 7);
const SESSION = "ps_one";
const FOLDER = `records/nar-01/s-${SESSION}`;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Made = {
  files?: MemoryFiles;
  clock?: ReturnType<typeof fakeClock>;
  keptMs?: number;
  bytesMax?: number;
  wall?: () => number;
};

async function makeRecords({
  files = memoryFiles(),
  clock = fakeClock(),
  keptMs = daysMs(90),
  bytesMax = 1e9,
  wall = () => clock.now(),
}: Made = {}) {
  const journal = await openJournal({ files: memoryFiles(), folder: "journal" });
  const grants = createGrants({ machineId: "nar-01", journal, clock });
  const anchors: { links: number; head: string }[] = [];
  const reported: { problem?: string }[] = [];
  const parts = new Map<string, Buffer>();
  const manifests: ClipManifest[] = [];
  const problems: string[] = [];
  const orders: (RecordOrder | undefined)[] = [];
  let games = 0;
  const records = await openRecords({
    ...{ files, folder: "records", key, keptMs, bytesMax, clock, wallNow: wall },
    door: {
      part: async (_id, name, bytes) => void parts.set(name, bytes),
      manifest: async (_id, manifest) => void manifests.push(manifest),
    },
    problem: (sentence) => void problems.push(sentence),
  });
  const record = records.machine("nar-01", {
    grants,
    broadcast: {
      record: async (order) => void orders.push(order),
      gameBegan: () => {
        games += 1;
      },
    },
  });
  const peer = {
    closed: false,
    notify: (_method: string, data: { problem?: string }) => void reported.push(data),
    request: async (_method: string, data: { links: number; head: string }) => {
      anchors.push({ links: data.links, head: data.head });
      return { is: "done", data: {} };
    },
  } as unknown as AgentPeer;
  records.linkUp(peer);
  ends.push(() => records.end());
  const made = {
    ...{ files, clock, grants, records, record, anchors, reported, parts, manifests, problems, orders },
    games: () => games,
    order: () => orders.at(-1),
    index: () => readIndex(files.bytes(`${FOLDER}/${INDEX_NAME}`) ?? Buffer.alloc(0)),
    async sit(session = SESSION, epoch = 1) {
      await grants.grant({ epoch, playSessionId: session, leaseMs: 86_400_000 });
      await made.passUntil(() => made.order() !== undefined);
    },
    async passUntil(done: () => boolean) {
      for (let n = 0; n < 400 && !done(); n += 1) await clock.pass(250);
      if (!done()) throw new Error("it did not come");
    },
    /** A segment as the media process leaves it. */
    async segment(
      n: number,
      from: number,
      to: number,
      seal = true,
      folder = FOLDER,
      session = SESSION,
    ): Promise<Segment> {
      const sessionKey = sessionKeyOf(key, "nar-01", session);
      const file = await openSegmentFile({ files, folder, sessionKey, salt: Buffer.alloc(16, n) }, n);
      await file.write({ from, to, frames: 30, bytes: Buffer.from(`mp4 of ${n}`) });
      const segment = seal ? await file.seal() : { n, from, to, frames: 30, bytes: 0, sha256: "" };
      if (seal) made.order()?.sealed(segment);
      return segment;
    },
  };
  return made;
}

const chainHolds = (index: ReturnType<typeof readIndex>): boolean => {
  let head = "0".repeat(64);
  return index.blocks.every(({ bytes, sealed }) => {
    if (sealed === undefined) return true;
    const at = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    const isNext = sealed.prev === head && sealed.lines === sha256(bytes.subarray(0, at));
    head = sha256(bytes.subarray(at, -1));
    return isNext;
  });
};

const press = { epoch: 1, seq: 1, button: "spin", at: 0 } as never;

describe("a play session", () => {
  test("is recorded from its grant to some seconds after its seat is lost, with presses and events, each line chained", async () => {
    const venue = await makeRecords();
    const { clock, grants, record } = venue;
    await venue.sit();
    expect(venue.order()).toMatchObject({ folder: FOLDER, first: 1 });
    const at = clock.now();
    record.press(press, at, { seq: 1, outcome: "started", at });
    record.gameBegins();
    expect(venue.games()).toBe(1);
    record.event(started(at));
    expect(venue.games()).toBe(1);
    await venue.segment(1, at, at + 2_500);
    await venue.passUntil(() => venue.index().head.links === 1);
    await grants.grant({ epoch: 2, playSessionId: SESSION, leaseMs: 600_000 });
    await clock.pass(1_000);
    await grants.revoke(2);
    await clock.pass(2_000);
    expect(venue.order()).toBeDefined();
    await venue.passUntil(() => venue.anchors.length > 0);
    expect(venue.order()).toBeUndefined();
    const index = venue.index();
    expect(index.blocks.flatMap(({ lines }) => lines.map(({ t }) => t))).toEqual([
      "begin",
      "seat",
      "press",
      "event",
      "sealed",
      "seat",
      "end",
      "sealed",
    ]);
    expect(chainHolds(index)).toBe(true);
    expect(venue.anchors).toEqual([{ links: 2, head: index.head.head }]);
    expect(sealedLines(index).toString().trim().split("\n")).toHaveLength(2);
  });

  test("under way is anchored each ten minutes", async () => {
    const venue = await makeRecords();
    await venue.sit();
    const at = venue.clock.now();
    await venue.segment(1, at, at + 2_500);
    await venue.clock.pass(590_000);
    expect(venue.anchors).toEqual([]);
    await venue.clock.pass(20_000);
    expect(venue.anchors).toHaveLength(1);
  });
});

describe("after a kill", () => {
  test("what was whole of the segment under way is sealed, a torn line is left out, and the chain continues", async () => {
    const before = await makeRecords();
    const { clock, files } = before;
    await before.sit();
    const at = clock.now();
    await before.segment(1, at, at + 2_500);
    await before.passUntil(() => before.index().head.links === 1);
    await before.segment(2, at + 2_500, at + 4_000, false);
    before.record.press(press, at, undefined);
    await clock.pass(1_000);
    ends.length = 0;
    files.dead = true;
    const after = files.afterPowerCut(1);
    // A torn line at the end, and nothing behind it.
    const path = `${FOLDER}/${INDEX_NAME}`;
    const torn = await after.open(path);
    await torn.write(Buffer.from('{"t":"press","at":1'), after.bytes(path)?.length ?? 0);
    const venue = await makeRecords({ files: after, clock: fakeClock(clock.now()) });
    await venue.sit();
    await venue.passUntil(() => venue.index().head.links === 2);
    const index = venue.index();
    expect(chainHolds(index)).toBe(true);
    expect(index.blocks.flatMap(({ sealed }) => sealed?.segment?.n ?? [])).toEqual([1, 2]);
    expect(venue.order()).toMatchObject({ first: 3 });
    expect(after.bytes(`${FOLDER}/${partName(2)}`)).toBeUndefined();
    expect(after.bytes(`${FOLDER}/${segmentName(2)}`)).toBeDefined();
  });

  test("of the media process alone the record begins again, and says the gap", async () => {
    const venue = await makeRecords();
    await venue.sit();
    const first = venue.order();
    first?.lost();
    await venue.passUntil(() => venue.order() !== undefined && venue.order() !== first);
    expect(venue.reported.at(-1)).toMatchObject({ problem: "the media process has ended" });
    const at = venue.clock.now();
    await venue.segment(1, at, at + 2_000);
    await venue.passUntil(() => venue.reported.at(-1)?.problem === undefined);
    expect(venue.record.problem()).toBeUndefined();
  });
});

describe("a disk", () => {
  test("that fails is said once, and once when it works again", async () => {
    const venue = await makeRecords();
    await venue.sit();
    venue.order()?.failed("no space left on device");
    venue.order()?.failed("no space left on device");
    expect(venue.reported.filter(({ problem }) => problem !== undefined)).toHaveLength(1);
    const at = venue.clock.now();
    await venue.segment(1, at, at + 2_000);
    await venue.passUntil(() => venue.record.problem() === undefined);
    expect(venue.problems).toEqual(["Play is not recorded: no space left on device.", "Play is recorded again."]);
  });

  test("that takes no line of the index is tried again", async () => {
    const venue = await makeRecords();
    await venue.sit();
    venue.files.syncFails = true;
    const at = venue.clock.now();
    await venue.segment(1, at, at + 2_000).catch(() => undefined);
    venue.record.press(press, at, undefined);
    venue.order()?.sealed({ n: 1, from: at, to: at + 2_000, frames: 1, bytes: 1, sha256: "0".repeat(64) });
    await venue.passUntil(() => venue.record.problem() !== undefined);
    venue.files.syncFails = false;
    await venue.passUntil(() => venue.orders.filter((order) => order !== undefined).length > 1);
    const later = venue.clock.now();
    await venue.segment(5, later, later + 2_000);
    await venue.passUntil(() => venue.record.problem() === undefined);
  });

  test("that is full loses the oldest sessions first, and never what a case holds", async () => {
    const venue = await makeRecords({ bytesMax: 25, keptMs: 600_000 });
    const { clock, grants, records, files } = venue;
    for (const [n, session] of ["ps_a", "ps_b", "ps_c", "ps_d"].entries()) {
      await grants.grant({ epoch: n + 1, playSessionId: session, leaseMs: 600_000 });
      const folder = `records/nar-01/s-${session}`;
      await venue.passUntil(() => venue.order()?.folder === folder);
      await venue.segment(1, clock.now(), clock.now() + 2_000, true, folder, session);
      await venue.passUntil(() => readIndex(files.bytes(`${folder}/${INDEX_NAME}`) ?? Buffer.alloc(0)).head.links > 0);
      if (session === "ps_a") expect(await records.hold("nar-01", "ps_a", "case-1", true)).toBe(true);
    }
    const has = (session: string) => files.bytes(`records/nar-01/s-${session}/${segmentName(1)}`) !== undefined;
    await venue.passUntil(() => !has("ps_b"));
    expect(["ps_a", "ps_b", "ps_c", "ps_d"].map(has)).toEqual([true, false, true, true]);
    // And by their age.
    await clock.pass(600_000);
    await venue.passUntil(() => !has("ps_c"));
    expect(has("ps_a")).toBe(true);
    await records.hold("nar-01", "ps_a", "case-1", false);
    await venue.passUntil(() => !has("ps_a"));
    expect(await records.hold("nar-01", "ps_a", "case-1", true)).toBe(false);
  });
});

describe("a clip", () => {
  test("has the segments of its time whole, its blocks and the chain, and says its gaps", async () => {
    const venue = await makeRecords();
    await venue.sit();
    const at = venue.clock.now();
    for (const [n, from, to] of [
      [1, 0, 3_000],
      [2, 3_000, 6_000],
      [4, 12_000, 15_000],
      [5, 15_000, 18_000],
    ] as const) {
      await venue.segment(n, at + from, at + to);
      await venue.clock.pass(3_000);
    }
    const wish = { machineId: "nar-01", playSessionId: SESSION, clipId: "cl_1", fromMs: at + 4_500, toMs: at + 13_000 };
    expect(venue.records.clip({ ...wish, have: [] })).toBe(true);
    await venue.passUntil(() => venue.manifests.length === 1);
    const [manifest] = venue.manifests;
    expect(manifest?.segments.map(({ number }) => number)).toEqual([2, 4]);
    expect(manifest?.gaps).toMatchObject([{ fromMs: at + 6_000, toMs: at + 12_000 }]);
    for (const part of [...manifest!.segments, manifest!.index!, manifest!.chain!]) {
      const bytes = venue.parts.get(part.name)!;
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(part.sha256);
    }
    expect(venue.parts.get("0000002.mp4")?.toString()).toBe("mp4 of 2");
    expect(chainHolds(readIndex(venue.parts.get("chain.jsonl")!))).toBe(false);
    expect(venue.parts.get("chain.jsonl")?.toString().trim().split("\n")).toHaveLength(4);
    venue.parts.clear();
    venue.records.clip({ ...wish, have: ["0000002.mp4", "0000004.mp4"] });
    await venue.passUntil(() => venue.manifests.length === 2);
    expect([...venue.parts.keys()]).toEqual(["index.jsonl", "chain.jsonl"]);
    expect(venue.records.clip({ ...wish, playSessionId: "ps_other", have: [] })).toBe(false);
  });

  test("leaves out what was changed on the disk", async () => {
    const venue = await makeRecords();
    await venue.sit();
    const at = venue.clock.now();
    await venue.segment(1, at, at + 3_000);
    await venue.clock.pass(3_500);
    await venue.segment(2, at + 3_000, at + 6_000);
    await venue.clock.pass(3_500);
    const file = await venue.files.open(`${FOLDER}/${segmentName(1)}`);
    await file.write(Buffer.from("!"), 40);
    venue.records.clip({
      ...{ machineId: "nar-01", playSessionId: SESSION, clipId: "cl_2" },
      fromMs: at,
      toMs: at + 4_000,
      have: [],
    });
    await venue.passUntil(() => venue.manifests.length === 1);
    expect(venue.manifests[0]).toMatchObject({ segments: [{ number: 2 }], gaps: [{ fromMs: at, toMs: at + 3_000 }] });
  });
});

test("the computer's clock may be set: times of the record continue, and the lines say the difference", async () => {
  const clock = fakeClock();
  let off = 0;
  const venue = await makeRecords({ clock, wall: () => clock.now() + off });
  await venue.sit();
  const at = clock.now();
  await venue.segment(1, at, at + 2_000);
  await clock.pass(3_000);
  off = -3_600_000;
  await venue.segment(2, at + 2_000, at + 4_000);
  await venue.passUntil(() => venue.index().head.links === 2);
  const sealed = venue.index().blocks.flatMap((block) => block.sealed ?? []);
  expect(sealed.map((line) => line.wall - line.at)).toEqual([0, -3_600_000]);
  expect(sealed[1]!.at).toBeGreaterThan(sealed[0]!.at);
});

test.each([
  ["nothing", ""],
  ["no JSON", "garbage\n\0\0\n"],
  ["a foreign line", '{"t":"sealed","link":"many"}\n[1]\nnull\n'],
  ["a long line", `{"t":"problem","at":1,"why":"${"x".repeat(100_000)}"}\n`],
  ["a prototype", '{"__proto__":{"t":"end"},"t":"end","at":1}\n'],
])("a hostile index is read without harm: %s", (_name, text) => {
  const index = readIndex(Buffer.from(text));
  expect(index.wholeBytes).toBe(text.length === 0 ? 0 : Buffer.byteLength(text));
  expect(index.head.links).toBe(0);
});

function started(at: number): MachineReport {
  const meters = { credit: 0, gamesPlayed: 1, activeBand: null, inGame: true };
  const head = { machineId: "nar-01", seq: 1, at: new Date(at).toISOString(), meters };
  return MachineReport.parse({ ...head, phase: "started", gameNumber: 1, stake: 5 });
}
