import { spawn } from "node:child_process";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import type * as z from "zod/mini";
import { realClock } from "../media/testing/real-clock.ts";
import type { KeySwitch, PressPort } from "../ports/press.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import { contradictionsOfButtons, WiredButtons } from "./config.ts";
import { createKeySwitch, withKeySwitch } from "./key-switch.ts";
import { ModbusNonsense, modbusExchange, withCrc } from "./modbus.ts";
import type { BoardFault } from "./testing/relay-board.ts";
import { RelayBoard } from "./testing/relay-board.ts";
import { openButtons } from "./wired-buttons.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Wiring = z.input<typeof WiredButtons>;
const FRAMINGS = { "modbus-tcp": "mbap", "rtu-over-tcp": "rtu" } as const;

async function boardOf(kind: keyof typeof FRAMINGS): Promise<RelayBoard & { readonly port: number }> {
  const board = new RelayBoard(FRAMINGS[kind]);
  ends.push(() => board.close());
  return Object.assign(board, { port: await board.listen() });
}

function wiringOf(kind: keyof typeof FRAMINGS, port: number, more: Partial<Wiring> = {}): WiredButtons {
  return WiredButtons.parse({
    // A busy computer is not a board without an answer.
    carrier: { kind, host: "127.0.0.1", port, answerMs: 2_000 },
    board: { kind: "waveshare" },
    buttons: { spin: { output: 3 }, betUp: { output: 1, pulseMs: 200, minGapMs: 201 } },
    ...more,
  });
}

function open(wired: WiredButtons): { port: PressPort; said: string[] } {
  const said: string[] = [];
  const port = openButtons({ wiring: wired, clock: realClock, problem: (sentence) => said.push(sentence) });
  ends.push(() => port.close());
  return { port, said };
}

/** A busy computer is not a fault: a second, as Vitest waits by itself, is too short. */
const eventually = async (check: () => void | Promise<void>): Promise<void> =>
  await vi.waitFor(check, { timeout: 60_000 });

/** Waits until the board has answered and the outputs are off. */
const ready = async (board: RelayBoard, outputs = 2): Promise<void> =>
  await eventually(() =>
    expect(board.commands.filter((one) => one.startsWith("off")).length).toBeGreaterThanOrEqual(outputs),
  );

/** Presses until the obstacle is gone: a board that was away is found again by itself. */
const pressWhenBack = async (port: PressPort): Promise<void> =>
  await eventually(async () => expect(await port.press("spin")).toMatchObject({ outcome: "sent" }));

test("frames are those of the standard and of a board's manual", () => {
  const rtu = (request: Parameters<typeof modbusExchange>[3]) =>
    modbusExchange("rtu", 1, 0, request).frame.toString("hex");
  // Output 1 on for 700 ms, output 1 off, eight outputs read, eight inputs read: from the maker's page.
  expect(rtu({ is: "writeCoil", address: 0x0200, value: 7 })).toBe("010502000007" + "8db0");
  expect(rtu({ is: "writeCoil", address: 0, value: 0 })).toBe("010500000000" + "cdca");
  expect(rtu({ is: "readCoils", from: 0, count: 8 })).toBe("010100000008" + "3dcc");
  expect(rtu({ is: "readInputs", from: 0, count: 8 })).toBe("010200000008" + "79cc");
  expect(withCrc(Buffer.from("123456789")).subarray(-2).toString("hex")).toBe("374b");
  const tcp = modbusExchange("mbap", 5, 0x1234, { is: "writeCoil", address: 0x0202, value: 1 });
  expect(tcp.frame.toString("hex")).toBe("12340000000605" + "0502020001");
});

test("whatever a board answers, it is an answer, incomplete or nonsense", () => {
  const request = fc.oneof(
    fc.record({
      is: fc.constantFrom("readCoils" as const, "readInputs" as const),
      from: fc.nat(31),
      count: fc.integer({ min: 1, max: 32 }),
    }),
    fc.record({
      is: fc.constantFrom("writeCoil" as const, "writeRegister" as const),
      address: fc.nat(0xffff),
      value: fc.nat(0xffff),
    }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("mbap" as const, "rtu" as const),
      request,
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(12),
      (framing, given, bytes, kept) => {
        const exchange = modbusExchange(framing, 1, 7, given);
        // Nearly right: it begins as the request does, which is also how a write's answer begins.
        const received = Buffer.concat([exchange.frame.subarray(0, kept), Buffer.from(bytes)]);
        try {
          const read = exchange.read(received);
          if (read !== undefined) expect(read.used).toBeLessThanOrEqual(received.length);
        } catch (error) {
          expect(error).toBeInstanceOf(ModbusNonsense);
        }
      },
    ),
  );
});

test.each(["modbus-tcp", "rtu-over-tcp"] as const)(
  "over %s a press is one pulse that the board times and ends, also when the agent dies",
  async (kind) => {
    const board = await boardOf(kind);
    board.coils[2] = true;
    const { port, said } = open(wiringOf(kind, board.port));
    expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "boardAway" });
    await ready(board);
    // An output that a dead agent or another program left on is off before anything is pressed.
    expect(board.coils[2]).toBe(false);
    await eventually(async () => expect(await port.press("spin")).toEqual({ outcome: "sent", readBack: "on" }));
    expect(board.commands.at(-1)).toBe("flash 3 1");
    board.cut();
    expect(board.coils[2]).toBe(true);
    await eventually(() => expect(board.coils[2]).toBe(false));
    expect(board.commands.filter((one) => one.startsWith("flash"))).toHaveLength(1);
    expect(said).toEqual([]);
  },
);

test("a button that is not wired, and one that is pressed too soon, are refused without a command", async () => {
  const board = await boardOf("modbus-tcp");
  const { port } = open(wiringOf("modbus-tcp", board.port));
  expect(port.buttons).toEqual(["spin", "betUp"]);
  expect(await port.press("cashOut")).toMatchObject({ outcome: "refused", reason: "unknownButton" });
  await pressWhenBack(port);
  expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "tooSoon" });
  // Another button waits for the end of the pulse: two are never held at once.
  expect(await port.press("betUp")).toMatchObject({ outcome: "refused", reason: "tooSoon" });
  expect(board.commands.filter((one) => one.startsWith("flash"))).toEqual(["flash 3 1"]);
});

const LOST: readonly BoardFault[] = [
  "silent",
  "wrongUnit",
  "wrongFunction",
  "wrongLength",
  "wrongEcho",
  "garbage",
  "close",
  "late",
];
const HOSTILE = [
  ...LOST.map((fault) => ["modbus-tcp", fault] as const),
  ...LOST.map((fault) => ["rtu-over-tcp", fault] as const),
  ["modbus-tcp", "wrongTransaction"],
  ["modbus-tcp", "wrongProtocol"],
  ["rtu-over-tcp", "wrongChecksum"],
] as const;
test.each(HOSTILE)(
  "over %s a press whose answer is spoilt (%s) is unconfirmed, pressed once, and the board is found again",
  async (kind, fault) => {
    const board = await boardOf(kind);
    const { carrier } = wiringOf(kind, board.port);
    // Several of these faults are silence, which lasts so long.
    const { port, said } = open(wiringOf(kind, board.port, { carrier: { ...carrier, answerMs: 150 } }));
    await ready(board);
    await eventually(async () => {
      board.fault = (_code, address) => (address >= 0x200 ? fault : undefined);
      expect(await port.press("spin")).toMatchObject({ outcome: "unconfirmed", says: expect.stringMatching(/\.$/) });
    });
    expect(board.commands.filter((one) => one.startsWith("flash"))).toEqual(["flash 3 1"]);
    board.fault = undefined;
    board.sendLate();
    await pressWhenBack(port);
    expect(board.commands.filter((one) => one.startsWith("flash"))).toHaveLength(2);
    expect(said.at(-1)).toBe("The button board answers again.");
  },
);

test.each(["twice", "flood"] as const)(
  "a board that sends more after its answer (%s) was pressed once, and is reached again on a new connection",
  async (fault) => {
    const board = await boardOf("rtu-over-tcp");
    const { port } = open(wiringOf("rtu-over-tcp", board.port));
    await ready(board);
    board.fault = (_code, address) => (address >= 0x200 ? fault : undefined);
    await eventually(async () => expect(await port.press("spin")).toEqual({ outcome: "sent", readBack: "unread" }));
    board.fault = undefined;
    await pressWhenBack(port);
    expect(board.connections).toBe(2);
    expect(board.commands.filter((one) => one.startsWith("flash"))).toHaveLength(2);
  },
);

test("a board that speaks without a request loses its connection", async () => {
  const board = await boardOf("modbus-tcp");
  const { port } = open(wiringOf("modbus-tcp", board.port));
  await ready(board);
  board.say(Buffer.alloc(100_000, 1));
  await eventually(async () => expect(await port.press("spin")).toMatchObject({ reason: "boardAway" }));
  await pressWhenBack(port);
});

test("an exception of the board says whether the button was touched", async () => {
  const board = await boardOf("modbus-tcp");
  const { port } = open(wiringOf("modbus-tcp", board.port));
  await ready(board);
  board.exception = 1;
  await eventually(async () =>
    expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "boardRefused" }),
  );
  board.exception = 4;
  await eventually(async () => expect(await port.press("spin")).toMatchObject({ outcome: "unconfirmed" }));
});

test("a board that echoes the press but does not move its output is found by reading it back", async () => {
  const board = await boardOf("modbus-tcp");
  const { port } = open(wiringOf("modbus-tcp", board.port));
  await ready(board);
  board.deaf = true;
  await eventually(async () =>
    expect(await port.press("spin")).toMatchObject({
      outcome: "unconfirmed",
      says: expect.stringContaining("output was off"),
    }),
  );
});

test("an output that is on without a press is turned off", async () => {
  const board = await boardOf("modbus-tcp");
  const { said } = open(wiringOf("modbus-tcp", board.port));
  await ready(board);
  board.coils[0] = true;
  await eventually(() => expect(board.coils[0]).toBe(false));
  expect(said).toEqual(["An output of the button board was on without a press; it is turned off."]);
});

test("another board's flash-on command and its watchdog come from the configuration", async () => {
  const board = await boardOf("modbus-tcp");
  const flash = {
    kind: "flash-coil",
    flashOn: 0x200,
    unitMs: 50,
    readBack: false,
    watchdog: { register: 90, value: 20 },
  } as const;
  const { port } = open(wiringOf("modbus-tcp", board.port, { board: flash, buttons: { spin: { output: 2 } } }));
  await eventually(() => expect(board.registers.get(90)).toBe(20));
  await eventually(async () => expect(await port.press("spin")).toEqual({ outcome: "sent", readBack: "unread" }));
  expect(board.commands.at(-1)).toBe("flash 2 2");
});

test("two machines on one board share its line; closing one turns off its own outputs alone", async () => {
  const board = await boardOf("modbus-tcp");
  const first = wiringOf("modbus-tcp", board.port, { buttons: { spin: { output: 1 } } });
  const { port } = open(first);
  const { port: second } = open({ ...first, buttons: { spin: { output: 2, pulseMs: 500, minGapMs: 600 } } });
  await pressWhenBack(second);
  await port.close();
  expect(board.coils[1]).toBe(true);
  expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "closed" });
  await second.close();
  expect(board.coils[1]).toBe(false);
});

test("the key switch stops presses at once; its board away stops them too", async () => {
  const board = await boardOf("modbus-tcp");
  board.inputs[4] = true;
  const { port } = open(wiringOf("modbus-tcp", board.port, { keySwitch: { input: 5, pollMs: 50, debounceMs: 0 } }));
  expect(port.keySwitch()).toBe("unknown");
  expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "keyUnknown" });
  const turns: string[] = [];
  port.onKeySwitch(() => turns.push(port.keySwitch()));
  await eventually(() => expect(port.keySwitch()).toBe("remote"));
  await pressWhenBack(port);
  board.inputs[4] = false;
  await eventually(() => expect(port.keySwitch()).toBe("local"));
  expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "local" });
  board.inputs[4] = true;
  await eventually(() => expect(port.keySwitch()).toBe("remote"));
  board.fault = "silent";
  await eventually(() => expect(port.keySwitch()).toBe("unknown"));
  expect(await port.press("spin")).toMatchObject({ outcome: "refused", reason: "keyUnknown" });
  expect(turns).toEqual(["remote", "local", "remote", "unknown"]);
});

test("a bouncing switch is still one turn, a short loss of the board is none, a long one closes the seat", () => {
  const clock = fakeClock();
  const config = WiredButtons.parse({
    ...wiringOf("modbus-tcp", 502),
    keySwitch: { input: 1, debounceMs: 100, unknownMs: 5_000 },
  }).keySwitch;
  if (config === undefined) throw new Error("no key switch");
  const key = createKeySwitch(config, clock);
  const turns: string[] = [];
  key.onChange(() => turns.push(key.position()));
  const read = (isClosed: boolean, ms: number): void => {
    key.read(isClosed);
    clock.advance(ms);
    key.read(isClosed);
  };
  read(true, 100);
  for (let bounce = 0; bounce < 10; bounce += 1) read(bounce % 2 === 1, 30);
  expect(key.lastRead()).toBe("remote");
  read(true, 100);
  expect(turns).toEqual(["remote"]);
  key.read(false);
  expect([key.lastRead(), key.position()]).toEqual(["local", "remote"]);
  clock.advance(100);
  key.read(false);
  expect(turns).toEqual(["remote", "local"]);
  // A switch that is local stays local when it cannot be read any more.
  key.unread();
  expect([key.lastRead(), key.position()]).toEqual(["unknown", "local"]);
  read(true, 100);
  key.unread();
  expect(key.position()).toBe("unknown");
  clock.advance(5_000);
  key.unread();
  expect(turns).toEqual(["remote", "local", "remote", "unknown", "local"]);
});

test("a machine whose key switch is on local is locked in everything that reports its meters, and rings when the key turns", async () => {
  let position: KeySwitch = "remote";
  let turned = (): void => undefined;
  const machine = fakeMachine();
  const egm = withKeySwitch(machine.connect(), {
    keySwitch: () => position,
    onKeySwitch: (changed) => {
      turned = changed;
      return () => {
        turned = () => undefined;
      };
    },
  });
  const rung: string[] = [];
  const stop = egm.onActivity(() => rung.push(position));
  expect((await egm.meters()).lockup).toBeUndefined();
  position = "unknown";
  expect((await egm.meters()).lockup).toBeUndefined();
  position = "local";
  turned();
  expect((await egm.meters()).lockup).toBe("local");
  expect((await egm.nextEvents()).meters.lockup).toBe("local");
  expect(rung).toEqual(["local"]);
  stop();
  turned();
  expect(rung).toHaveLength(1);
  // Everything else is the machine's own.
  expect(egm.description.id).toBe("nar-01");
  expect(await egm.press({ button: "spin", stakeMinor: 100 })).toMatchObject({ outcome: "started" });
});

test("a serial line carries the same frames", async () => {
  // util-linux makes a pseudo terminal: its slave is the port that we open, its master comes out of the process's pipes.
  const terminal = spawn("script", ["-qfc", "tty; exec sleep 600", "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  ends.push(() => terminal.kill("SIGKILL"));
  const path = await new Promise<string>((resolve) =>
    terminal.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  const board = await boardOf("rtu-over-tcp");
  board.attach(Duplex.from({ readable: terminal.stdout, writable: terminal.stdin }));
  const wired = WiredButtons.parse({ ...wiringOf("rtu-over-tcp", 1), carrier: { kind: "modbus-rtu", path } });
  const { port } = open(wired);
  await ready(board);
  await eventually(async () => expect(await port.press("spin")).toEqual({ outcome: "sent", readBack: "on" }));
  expect(board.commands.at(-1)).toBe("flash 3 1");
});

const problems = (wiring: unknown): string[] =>
  WiredButtons.safeParse(wiring).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("the configuration complains about what would press the wrong button", () => {
  const carrier = { kind: "modbus-tcp", host: "10.0.0.9" } as const;
  const good = { carrier, board: { kind: "waveshare" }, buttons: { spin: { output: 1 } } } as const;
  expect(problems(good)).toEqual([]);
  expect(problems({ ...good, board: { kind: "hid" } })).toEqual([
    expect.stringMatching(/^board.kind: is refused for buttons: this computer would have to end each press/),
  ]);
  expect(problems({ ...good, board: { kind: "arduino" } })).toEqual([
    "board.kind: must be of the kind waveshare or flash-coil",
  ]);
  expect(problems({ ...good, buttons: {} })).toEqual(["buttons: must name at least one button"]);
  expect(problems({ ...good, buttons: { spin: { output: 0 } } })).toEqual(["buttons.spin.output: must be 1 to 32"]);
  expect(problems({ ...good, buttons: { spin: { output: 1, pulseMs: 5_000 } } })).toEqual([
    "buttons.spin.pulseMs: must be 20 to 500 ms",
  ]);
  expect(problems({ ...good, carrier: { kind: "modbus-rtu", path: "COM3" } })).toEqual([
    "carrier.path: must be a device such as /dev/ttyUSB0",
  ]);
  expect(problems({ ...good, unit: 248 })).toEqual(["unit: must be 1 to 247"]);
  const machine = (id: string, wiring: object) => ({
    id,
    wired: WiredButtons.parse({ ...good, ...wiring }),
    panel: ["spin", "betUp"],
  });
  const complaints = (...list: ReturnType<typeof machine>[]) => contradictionsOfButtons(list);
  expect(complaints(machine("m1", {}), machine("m2", { buttons: { spin: { output: 2 } } }))).toEqual([]);
  expect(complaints(machine("m1", { buttons: { spin: { output: 4 }, betUp: { output: 4 } } }))).toEqual([
    'wires both "spin" of "m1" and "betUp" of "m1" to output 4 of board 1 on 10.0.0.9:502',
  ]);
  expect(complaints(machine("m1", {}), machine("m2", {}))).toEqual([
    'wires both "spin" of "m1" and "spin" of "m2" to output 1 of board 1 on 10.0.0.9:502',
  ]);
  expect(complaints(machine("m1", { buttons: { max: { output: 1 } } }))).toEqual([
    'wires the button "max" of "m1", which its panel does not have (spin, betUp)',
  ]);
  expect(complaints(machine("m1", { buttons: { spin: { output: 1, pulseMs: 150, minGapMs: 100 } } }))).toEqual([
    'holds the button "spin" of "m1" for 150 ms; its board counts in units of 100 ms',
    'lets the button "spin" of "m1" be pressed again after 100 ms, while it is still held (150 ms)',
  ]);
  expect(
    complaints(
      machine("m1", {}),
      machine("m2", { carrier: { ...carrier, answerMs: 100 }, buttons: { spin: { output: 2 } } }),
    ),
  ).toEqual(['gives 10.0.0.9:502 other settings at "m2" than before']);
});
