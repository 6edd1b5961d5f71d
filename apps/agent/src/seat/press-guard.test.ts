import type { PressReason } from "@longarm/contract/data-channel";
import type { PlayRules } from "@longarm/contract/player-protection";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { openJournal } from "../journal/journal.ts";
import type { MachineQueue } from "../machine/machine-queue.ts";
import { createMachineQueue } from "../machine/machine-queue.ts";
import type { EgmPress } from "../ports/egm.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { FakeMachine } from "../testing/fake-machine.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import type { Grants } from "./grants.ts";
import { createGrants } from "./grants.ts";
import type { PressGuard, WirePress } from "./press-guard.ts";
import { createPressGuard } from "./press-guard.ts";

let clock: FakeClock;
let machine: FakeMachine;
let grants: Grants;
let queue: MachineQueue;
let guard: PressGuard;
let obstacle: PressReason | undefined;
let picturedAt: number | undefined;
let isRecorded: boolean;
/** How presses have ended. */
let ended: (string | undefined)[];
/** What really reached the buttons: the order of seqs. */
let pressed: string[];
/** What the driver was ordered. */
let orders: EgmPress[];

beforeEach(async () => {
  clock = fakeClock();
  machine = fakeMachine();
  obstacle = undefined;
  picturedAt = undefined;
  isRecorded = true;
  pressed = [];
  orders = [];
  ended = [];
  const journal = await openJournal({ files: memoryFiles(), folder: "/j" });
  grants = createGrants({ machineId: "nar-01", journal, clock });
  queue = createMachineQueue();
  guard = guardOf(machine);
  await grants.grant({ epoch: 2, playSessionId: "ps_1", leaseMs: 600_000 });
});

function guardOf(fake: FakeMachine): PressGuard {
  const real = fake.connect();
  const egm = {
    ...real,
    press: (order: Parameters<typeof real.press>[0]) => {
      pressed.push(order.button);
      orders.push(order);
      return real.press(order);
    },
  };
  return createPressGuard({
    memory: { waiting: [], lastSeq: 0 },
    egm,
    grants,
    queue,
    clock,
    wagerObstacle: () => obstacle,
    picturedAt: () => picturedAt,
    isRecorded: () => isRecorded,
    metrics: { pressed: (outcome) => ended.push(outcome) },
  });
}

const spin = (seq: number, more: Partial<WirePress> = {}): WirePress => ({
  epoch: 2,
  seq,
  button: "spin",
  at: clock.now(),
  stake: 100,
  ...more,
});
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test("a press starts a game; its repeat gets the same answer and presses nothing", async () => {
  const press = spin(1);
  const [first, copy] = await Promise.all([guard.press(press), guard.press(press)]);
  clock.advance(5_000);
  const later = await guard.press(press);
  expect(first).toEqual({ seq: 1, outcome: "started", at: 1_000_000 });
  expect([copy, later]).toEqual([first, first]);
  expect(machine.games).toBe(1);
});

test("a seq not above the last is late, even when it never came before", async () => {
  await guard.press(spin(5));
  clock.advance(2_000);
  expect(await guard.press(spin(4))).toMatchObject({ seq: 4, outcome: "late" });
  expect(machine.games).toBe(1);
});

test.each([-501, 501])("a press %i ms off by the matched clock is stale, and its seq is used up", async (off) => {
  expect(await guard.press(spin(1, { at: clock.now() + off }))).toMatchObject({ outcome: "stale" });
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "stale" });
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "started" });
});

test("epochs: older ones, unknown ones and expired leases press nothing", async () => {
  expect(await guard.press(spin(1, { epoch: 1 }))).toMatchObject({ outcome: "refused", reason: "stale epoch" });
  expect(await guard.press(spin(1, { epoch: 3 }))).toMatchObject({ outcome: "refused", reason: "seat not granted" });
  clock.advance(600_001);
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "refused", reason: "lease expired" });
  expect(machine.games).toBe(0);
});

test("seq starts at 1 again with a new epoch", async () => {
  await guard.press(spin(9));
  clock.advance(2_000);
  await grants.grant({ epoch: 3, playSessionId: "ps_1", leaseMs: 60_000 });
  expect(await guard.press(spin(1, { epoch: 3 }))).toMatchObject({ outcome: "started" });
  expect(await guard.press(spin(10))).toMatchObject({ reason: "stale epoch" });
});

test("a wager carries the stake that was seen, and is not played for another", async () => {
  const { stake: _stake, ...without } = spin(1);
  expect(await guard.press(without)).toMatchObject({
    outcome: "refused",
    reason: "a wager needs the stake that was seen",
  });
  expect(await guard.press(spin(2, { stake: 99 }))).toMatchObject({ outcome: "changed" });
  expect(machine.games).toBe(0);
});

test("games and buttons keep their least times", async () => {
  await guard.press(spin(1));
  clock.advance(999);
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "too soon" });
  clock.advance(1);
  expect(await guard.press(spin(3))).toMatchObject({ outcome: "started" });
  expect(await guard.press(spin(4, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  expect(await guard.press(spin(5, { button: "betUp" }))).toMatchObject({ reason: "too soon" });
});

test("no press passes while money moves, and none that waited too long", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const money = queue.money(() => promise);
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "refused", reason: "transfer in progress" });
  resolve();
  await money;
  const slow = Promise.withResolvers<void>();
  void queue.press(() => slow.promise);
  const waiting = guard.press(spin(2));
  clock.advance(501);
  slow.resolve();
  expect(await waiting).toMatchObject({ outcome: "stale" });
  expect(pressed).toEqual([]);
});

test("a seat lost while a press waits presses nothing", async () => {
  const slow = Promise.withResolvers<void>();
  void queue.press(() => slow.promise);
  const waiting = guard.press(spin(1));
  await grants.revoke(2);
  slow.resolve();
  expect(await waiting).toMatchObject({ outcome: "refused", reason: "seat not granted" });
  expect(pressed).toEqual([]);
});

test("no game starts whose record nobody could keep", async () => {
  obstacle = "the agent cannot keep records now";
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "refused", reason: obstacle });
  expect(await guard.press(spin(2, { button: "betUp" }))).toMatchObject({ outcome: "done" });
});

test("a silent machine is not answered for, and not pressed again", async () => {
  machine.deafToPresses = true;
  expect(await guard.press(spin(1))).toBeUndefined();
  expect(await guard.press(spin(1))).toBeUndefined();
  expect(pressed).toEqual(["spin"]);
});

test.each(["unconfirmed", "silent"])(
  "a wager whose press ends %s counts as a start: the next waits for the least cycle",
  async (how) => {
    machine.confirmsNothing = how === "unconfirmed";
    machine.deafToPresses = how === "silent";
    const first = spin(1);
    const answer = how === "silent" ? undefined : { seq: 1, outcome: "unconfirmed", at: 1_000_000 };
    expect(await guard.press(first)).toEqual(answer);
    // Its copies press nothing.
    expect(await guard.press(first)).toEqual(answer);
    clock.advance(999);
    expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "too soon" });
    expect(pressed).toEqual(["spin"]);
    clock.advance(1);
    await guard.press(spin(3));
    expect(pressed).toEqual(["spin", "spin"]);
  },
);

test("a machine that does not say its stake is played without one", async () => {
  machine.hidesStake = true;
  const { description } = machine.connect();
  expect(description.capabilities.nextStake).toBe(false);
  const { stake: _, ...blind } = spin(1);
  expect(await guardOf(machine).press(blind)).toMatchObject({ outcome: "started" });
});

// maintainer 6.3: a page sends each press up to four times, and the alert LongarmMachineDeaf fires at four silent ones.
test("copies of a press are one press for those who count, silent, played, refused or late", async () => {
  const fourTimes = async (press: WirePress) =>
    await Promise.all([1, 2, 3, 4].map(() => guard.message(bytes(press), 2)));
  machine.deafToPresses = true;
  await fourTimes(spin(1));
  await fourTimes(spin(1));
  expect(ended).toEqual([undefined]);
  machine.deafToPresses = false;
  clock.advance(2_000);
  await fourTimes(spin(3));
  await fourTimes(spin(4));
  const late = await fourTimes(spin(2));
  expect(late.map((answer) => answer?.outcome)).toEqual(["late", "late", "late", "late"]);
  expect(ended).toEqual([undefined, "started", "refused", "late"]);
  clock.advance(2_000);
  expect(await guard.press(spin(4)), "a late one does not take the numbers back").toMatchObject({ outcome: "refused" });
  expect(await guard.press(spin(5))).toMatchObject({ outcome: "started" });
});

test("a flood is refused", async () => {
  const slow = Promise.withResolvers<void>();
  void queue.press(() => slow.promise);
  const flood = Array.from({ length: 20 }, (_, n) => guard.press(spin(n + 1, { button: "betUp" })));
  clock.advance(100);
  const more = guard.press(spin(21, { button: "betUp" }));
  slow.resolve();
  const answers = await Promise.all([...flood, more]);
  expect(answers.filter((answer) => answer?.outcome === "done").length).toBeLessThanOrEqual(4);
});

test.each<[string, Uint8Array]>([
  ["nothing", new Uint8Array()],
  ["no JSON", new TextEncoder().encode("spin!")],
  ["no UTF-8", new Uint8Array([0xff, 0xfe, 0x7b])],
  ["too large", bytes({ ...{ epoch: 2, seq: 1, button: "spin", at: 0 }, pad: "x".repeat(600) })],
  ["a list", bytes([])],
  ["null", bytes(null)],
  ["a seq of half", bytes({ epoch: 2, seq: 1.5, button: "spin", at: 0 })],
  ["a seq below one", bytes({ epoch: 2, seq: 0, button: "spin", at: 0 })],
  ["a seq beyond counting", bytes({ epoch: 2, seq: 2 ** 60, button: "spin", at: 0 })],
  ["a text for a number", bytes({ epoch: "2", seq: 1, button: "spin", at: 0 })],
  ["a negative stake", bytes({ epoch: 2, seq: 1, button: "spin", at: 0, stake: -100 })],
  ["a button of a kilometre", bytes({ epoch: 2, seq: 1, button: "s".repeat(33), at: 0 })],
  ["no time", bytes({ epoch: 2, seq: 1, button: "spin", at: null })],
])("a hostile frame (%s) is answered as malformed and presses nothing", async (_what, frame) => {
  expect(await guard.message(frame, 2)).toMatchObject({ seq: 0, outcome: "refused", reason: "malformed" });
  expect(pressed).toEqual([]);
});

test("a connection of one epoch cannot speak for another, and a strange button is refused", async () => {
  expect(await guard.message(bytes(spin(1)), 1)).toMatchObject({ seq: 1, outcome: "refused", reason: "stale epoch" });
  expect(await guard.message(bytes(spin(1, { button: "__proto__" })), 2)).toMatchObject({ reason: "unknown button" });
  expect(pressed).toEqual([]);
});

test("property: lost, doubled, reordered and late datagrams never make two games of one seq or a game of a lower one", async () => {
  const datagram = fc.record({
    seq: fc.integer({ min: 1, max: 12 }),
    delayMs: fc.nat(700),
    epoch: fc.constantFrom(1, 2, 2, 2, 2, 3),
    waitMs: fc.nat(1_200),
    overLink: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(datagram, { maxLength: 30 }), async (datagrams) => {
      const played: number[] = [];
      const fake = fakeMachine().connect();
      const journal = await openJournal({ files: memoryFiles(), folder: "/j" });
      const seats = createGrants({ machineId: "nar-01", journal, clock });
      await seats.grant({ epoch: 2, playSessionId: "ps_1", leaseMs: 600_000 });
      let current = 0;
      const egm = {
        ...fake,
        press: async (order: Parameters<typeof fake.press>[0]) => {
          played.push(current);
          return await fake.press(order);
        },
      };
      const tried = createPressGuard({
        memory: { waiting: [], lastSeq: 0 },
        egm,
        grants: seats,
        queue: createMachineQueue(),
        clock,
        wagerObstacle: () => undefined,
        picturedAt: () => undefined,
      });
      const answers = new Map<number, string>();
      for (const { seq, delayMs, epoch, waitMs, overLink } of datagrams) {
        current = seq;
        const press = spin(seq, { epoch, at: clock.now() - delayMs });
        const answer = overLink ? await tried.press(press) : await tried.message(bytes(press), 2);
        clock.advance(waitMs);
        if (epoch !== 2) expect(answer?.outcome).toBe("refused");
        if (epoch !== 2 || answer === undefined || answer.outcome === "late") continue;
        const said = JSON.stringify(answer);
        expect(answers.get(seq) ?? said).toBe(said);
        answers.set(seq, said);
      }
      expect(played).toEqual([...new Set(played)].sort((a, b) => a - b));
    }),
    { numRuns: 200, seed: 20261121 },
  );
});

test("a wager refused as changed does not hold up the corrected one", async () => {
  expect(await guard.press(spin(1, { stake: 99 }))).toMatchObject({ outcome: "changed" });
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "started" });
});

const FREE: PlayRules = { minCycleMs: 0, autoplay: true, stopReels: true };
const rule = (rules: Partial<PlayRules>, epoch = 2) =>
  grants.grant({ epoch, playSessionId: "ps_1", leaseMs: 600_000, rules: { ...FREE, ...rules } });

test("RTS 14D: from start to start the longer of machine's and market's time passes, also for the next holder of the seat", async () => {
  clock.advance(5_000);
  await rule({ minCycleMs: 2_500 });
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "started" });
  clock.advance(2_499);
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "too soon" });
  await rule({ minCycleMs: 2_500 }, 3);
  expect(await guard.press(spin(1, { epoch: 3 })), "another holder").toMatchObject({ reason: "too soon" });
  clock.advance(1);
  expect(await guard.press(spin(2, { epoch: 3 }))).toMatchObject({ outcome: "started" });
  await rule({ minCycleMs: 500 }, 3);
  clock.advance(999);
  expect(await guard.press(spin(3, { epoch: 3 })), "the machine's own is longer").toMatchObject({ reason: "too soon" });
  expect(machine.games).toBe(2);
});

test("RTS 14D: a driver that was opened just now, and a game that the page did not start, count as a start", async () => {
  await rule({ minCycleMs: 2_500 });
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "refused", reason: "too soon" });
  clock.advance(2_500);
  guard.reported({ gameNumber: 1, stake: 100, startedAt: clock.now() - 100 });
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "too soon" });
  clock.advance(2_399);
  expect(await guard.press(spin(3))).toMatchObject({ outcome: "refused", reason: "too soon" });
  // The machine's clock is fast.
  guard.reported({ gameNumber: 1, stake: 100, startedAt: clock.now() + 1_000_000 });
  clock.advance(2_500);
  expect(await guard.press(spin(4))).toMatchObject({ outcome: "started" });
});

test("SI 2025: a stake above the player's highest is refused, at it it is played", async () => {
  await rule({ maxStake: 100 });
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "started" });
  clock.advance(1_000);
  machine.bet = 101;
  expect(await guard.press(spin(2, { stake: 101 }))).toMatchObject({ outcome: "refused", reason: "stakeAboveLimit" });
  expect(await guard.press(spin(3, { stake: 100 })), "the machine has another").toMatchObject({ outcome: "changed" });
  expect(machine.games).toBe(1);
});

test("SI 2025: where the machine does not say its next stake, its last game judges until a key that may change it, and one above the highest is the last of the stay", async () => {
  machine.hidesStake = true;
  guard = guardOf(machine);
  await rule({ maxStake: 100 });
  expect(await guard.press(spin(1, { stake: 101 })), "its own word").toMatchObject({ reason: "stakeAboveLimit" });
  expect(await guard.press(spin(2)), "a lie that no agent can see yet").toMatchObject({ outcome: "started" });
  guard.reported({ gameNumber: 1, stake: 500, startedAt: clock.now() });
  clock.advance(1_000);
  expect(await guard.press(spin(3))).toMatchObject({ outcome: "refused", reason: "stake was above" });
  expect(await guard.press(spin(4, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  const { stake: _, ...silent } = spin(5);
  expect(await guard.press(silent), "whatever key was pressed").toMatchObject({ reason: "stake was above" });
  await rule({ maxStake: 100 }, 3);
  expect(await guard.press(spin(1, { epoch: 3 })), "after a reload").toMatchObject({ reason: "stake was above" });
  await grants.grant({ epoch: 4, playSessionId: "ps_2", leaseMs: 600_000, rules: { ...FREE, maxStake: 100 } });
  expect(await guard.press(spin(1, { epoch: 4 })), "another player").toMatchObject({ outcome: "started" });
});

test("RTS 14D, 8A, 13B: a key that starts games by itself is judged as a wager once it has started one", async () => {
  await rule({ minCycleMs: 5_000, maxStake: 100, autoplay: false });
  clock.advance(5_000);
  // A game that a wager explains accuses no key.
  expect(await guard.press(spin(10, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  expect(await guard.press(spin(11, { stake: machine.bet }))).toMatchObject({ outcome: "started" });
  guard.reported({ gameNumber: 1, stake: 100, startedAt: clock.now() });
  clock.advance(1_000);
  expect(await guard.press(spin(12, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  clock.advance(10_000);
  // MAX BET, listed as a key that only selects.
  expect(await guard.press(spin(13, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  guard.reported({ gameNumber: 1, stake: 100, startedAt: clock.now() });
  clock.advance(1_000);
  expect(await guard.press(spin(14, { button: "betUp" }))).toMatchObject({ outcome: "refused", reason: "too soon" });
  clock.advance(5_000);
  expect(await guard.press(spin(15, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  await rule({ paidForMs: 0, heldFor: "realityCheck" });
  clock.advance(10_000);
  expect(await guard.press(spin(16, { button: "betUp" }))).toMatchObject({
    outcome: "refused",
    reason: "reality check",
  });
});

test("RTS 8A: a game that the page starts by itself is refused where autoplay is not allowed, by the market or by the venue", async () => {
  await rule({ autoplay: false });
  expect(await guard.press(spin(1, { auto: true }))).toMatchObject({ outcome: "refused", reason: "no autoplay" });
  expect(await guard.press(spin(2, { auto: false }))).toMatchObject({ outcome: "started" });
  clock.advance(1_000);
  await rule({});
  expect(await guard.press(spin(3, { auto: true }))).toMatchObject({ outcome: "started" });
});

test("RTS 14E: the driver learns that no key may stop the reels", async () => {
  await guard.press(spin(1, { button: "betUp" }));
  await rule({ stopReels: false });
  clock.advance(100);
  await guard.press(spin(2, { button: "betUp" }));
  expect(orders).toEqual([{ button: "betUp" }, { button: "betUp", keepsReels: true }]);
});

test("GLI-19 4.18.2: no game starts unseen: the newest picture may not be too old", async () => {
  await rule({ pictureMsMax: 1_000 });
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "refused", reason: "picture too old" });
  picturedAt = clock.now() - 1_001;
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "picture too old" });
  picturedAt = clock.now() - 1_000;
  expect(await guard.press(spin(3))).toMatchObject({ outcome: "started" });
});

test("no game starts unrecorded where the market says so; what finishes one passes, and without the rule all do", async () => {
  isRecorded = false;
  expect(await guard.press(spin(1))).toMatchObject({ outcome: "started" });
  clock.advance(1_000);
  await rule({ recorded: true });
  expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason: "play not recorded" });
  expect(await guard.press(spin(3, { button: "betUp" }))).toMatchObject({ outcome: "done" });
  isRecorded = true;
  expect(await guard.press(spin(4))).toMatchObject({ outcome: "started" });
});

test.each([
  ["realityCheck", "reality check"],
  ["limit", "limit reached"],
  ["break", "break"],
  ["turn", "turn over"],
] as const)(
  "RTS 13B: paid games are held for a %s, other keys and what finishes a game are free",
  async (heldFor, reason) => {
    await rule({ paidForMs: 1_000, heldFor });
    expect(await guard.press(spin(1))).toMatchObject({ outcome: "started" });
    clock.advance(1_000);
    expect(await guard.press(spin(2))).toMatchObject({ outcome: "refused", reason });
    expect(await guard.press(spin(3, { button: "betUp" }))).toMatchObject({ outcome: "done" });
    machine.awaitsChoice = true;
    expect(await guard.press(spin(4))).toMatchObject({ outcome: "done" });
    expect(machine.games).toBe(1);
  },
);

test("two presses at once do not both pass a rule that the first one's game breaks for the second", async () => {
  clock.advance(5_000);
  await rule({ minCycleMs: 5_000 });
  const both = [guard.press(spin(1)), guard.press(spin(2))];
  expect((await Promise.all(both)).map((answer) => answer?.outcome)).toEqual(["started", "refused"]);
  const slow = Promise.withResolvers<void>();
  void queue.press(() => slow.promise);
  clock.advance(5_000);
  const waiting = guard.press(spin(3));
  await rule({ paidForMs: 0, heldFor: "limit" });
  slow.resolve();
  expect(await waiting, "held while it waited").toMatchObject({ outcome: "refused", reason: "limit reached" });
  expect(machine.games).toBe(1);
});

test("without rules, as from an older platform, nothing of this is refused", async () => {
  expect(await guard.press(spin(1, { auto: true }))).toMatchObject({ outcome: "started" });
  expect(orders).toEqual([{ button: "spin", stakeMinor: 100 }]);
});
