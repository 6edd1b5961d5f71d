import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readMachines } from "../../config/machines.ts";
import { realClock } from "../../media/testing/real-clock.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DriverKind } from "../../ports/driver.ts";
import { DRIVERS, driverOf } from "../registry.ts";
import { startCabinet } from "./driver/testing/cabinet.ts";

/* The buttons of a machine of the list, pressed through the relay board of the cabinet, which is another program. */

const SOON = { timeout: 60_000, interval: 50 };
const FLASH_ON = 0x0200;

const button = (id: string, kind = "select") => ({ id, label: id, kind, minGapMs: 0 });

/** An entry of the list. */
const entry = (id: string, sasPort: number, carrier: object, buttons: object, more: object = {}): object => ({
  ...{ driver: "sas", id, name: id, brand: "Own", minCycleMs: 100, picture: { kind: "test" } },
  ...{ line: { kind: "tcp", host: "127.0.0.1", port: sasPort }, timing: { pollMs: 40 }, confirmMs: 5_000 },
  panel: [button("spin", "wager"), button("betUp")],
  buttons: { carrier: { kind: "modbus-tcp", host: "127.0.0.1", ...carrier }, board: { kind: "waveshare" }, buttons },
  ...more,
});

/**
 * A cable to the board that breaks at a press: before its command or before the answer arrives, and stays broken until it is repaired. `presses`: the
 * commands to press that were sent into it.
 */
async function cableTo(board: number) {
  const cable = { port: 0, breaksAt: undefined as "command" | "answer" | undefined, isBroken: false, presses: 0 };
  const server = createServer((host) => {
    const to = connect(board, "127.0.0.1");
    host.on("data", (frame) => {
      const isPress = frame.readUInt8(7) === 0x05 && frame.readUInt16BE(8) >= FLASH_ON;
      if (isPress) cable.presses += 1;
      const breaks = isPress && cable.breaksAt !== undefined;
      if (!cable.isBroken && !(breaks && cable.breaksAt === "command")) to.write(frame);
      cable.isBroken ||= breaks;
    });
    to.on("data", (frame) => {
      if (!cable.isBroken) host.write(frame);
    });
    for (const [end, other] of [
      [host, to],
      [to, host],
    ] as const) {
      end.on("error", () => undefined);
      end.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  cable.port = (server.address() as AddressInfo).port;
  return cable;
}

async function openMachine() {
  const folder = await mkdtemp(join(tmpdir(), "sas-buttons-"));
  const cabinet = await startCabinet(join(folder, "cabinet"), ["--cycle", "200", "--denomination", "1", "--seed", "b"]);
  onTestFinished(async () => {
    await cabinet.end();
    await rm(folder, { recursive: true });
  });
  const cable = await cableTo(cabinet.buttonsPort);
  const wired = { spin: { output: 1 } };
  const listed = entry("m-1", cabinet.sasPort, { port: cable.port, answerMs: 1_000 }, wired) as { buttons: object };
  const keySwitch = { input: 1, pollMs: 50, debounceMs: 50 };
  const { machines, complaints } = readMachines(
    JSON.stringify([{ ...listed, buttons: { ...listed.buttons, keySwitch } }]),
  );
  expect(complaints).toEqual([]);
  const [machine] = machines;
  if (machine === undefined) throw new Error("no machine");
  const said: string[] = [];
  const driver = await driverOf(machine)
    .setUp(machine, {
      ...{ clock: realClock, folder: join(folder, "driver"), problem: (sentence) => void said.push(sentence) },
      floor: { seed: "s", minCycleMs: 100, timeCode: false },
    })
    .open();
  onTestFinished(() => driver.close());
  return { cabinet, cable, said, egm: driver.egm };
}

type Opened = Awaited<ReturnType<typeof openMachine>>;

const press = ({ egm }: Opened) => egm.press({ button: "spin" });
/** A press that is refused was not sent, so it may be tried again. */
const pressWhenReady = (opened: Opened) =>
  vi.waitFor(async () => expect(await press(opened)).toMatchObject({ outcome: "started" }), SOON);
const rests = ({ egm }: Opened, gamesPlayed: number) =>
  vi.waitFor(async () => expect(await egm.meters()).toMatchObject({ inGame: false, gamesPlayed }), SOON);
const repaired = async ({ cable, said }: Opened): Promise<void> => {
  Object.assign(cable, { breaksAt: undefined, isBroken: false });
  await vi.waitFor(() => expect(said.at(-1)).toBe("The button board answers again."), SOON);
};

test("a press through the board starts one game, the key on local refuses it, and a lost one is never sent again", async () => {
  const opened = await openMachine();
  const { egm, cabinet, cable } = opened;
  await egm.cashIn({ transferId: "in", amount: 100_000 });
  await pressWhenReady(opened);
  await rests(opened, 1);
  expect(cable.presses).toBe(1);

  await cabinet.order({ do: "key", remote: false });
  await vi.waitFor(async () => expect((await egm.meters()).lockup).toBe("local"), SOON);
  expect(await press(opened)).toEqual({ outcome: "refused", reason: "local" });
  await cabinet.order({ do: "key", remote: true });
  await vi.waitFor(async () => expect((await egm.meters()).lockup).toBeUndefined(), SOON);
  expect(cable.presses).toBe(1);

  cable.breaksAt = "command";
  expect(await press(opened)).toEqual({ outcome: "unconfirmed" });
  expect(await press(opened)).toEqual({ outcome: "refused", reason: "outOfService" });
  await repaired(opened);
  await rests(opened, 1);
  expect(cable.presses).toBe(2);

  // The machine itself says that the press whose answer was lost has started a game.
  cable.breaksAt = "answer";
  expect(await press(opened)).toEqual({ outcome: "started", gameNumber: 2 });
  await repaired(opened);
  await rests(opened, 2);
  expect(cable.presses).toBe(3);

  await pressWhenReady(opened);
  await rests(opened, 3);
  const { events } = await egm.nextEvents(50);
  expect(events.filter(({ what }) => what === "gameStarted")).toHaveLength(3);
});

const complaintsOn = (...entries: object[]): string[] => readMachines(JSON.stringify(entries)).complaints;

test("buttons that contradict each other are named at start, each with its place", () => {
  const board = { port: 502 };
  const one = entry("m-1", 7_601, board, { spin: { output: 1 }, betUp: { output: 2 } });
  expect(complaintsOn(one, entry("m-2", 7_605, board, { spin: { output: 3 } }))).toEqual([]);
  expect(complaintsOn(entry("m-1", 7_601, board, { spin: { output: 1 }, betUp: { output: 1 } }))).toEqual([
    'wires both "spin" of "m-1" and "betUp" of "m-1" to output 1 of board 1 on 127.0.0.1:502',
  ]);
  expect(complaintsOn(one, entry("m-2", 7_605, board, { spin: { output: 2 } }))).toEqual([
    'wires both "betUp" of "m-1" and "spin" of "m-2" to output 2 of board 1 on 127.0.0.1:502',
  ]);
  expect(complaintsOn(entry("m-1", 7_601, board, { collect: { output: 1 } }))).toEqual([
    'wires the button "collect" of "m-1", which its panel does not have (spin, betUp)',
  ]);
  expect(complaintsOn(one, entry("m-2", 7_605, { ...board, answerMs: 500 }, { spin: { output: 3 } }))).toEqual([
    'gives 127.0.0.1:502 other settings at "m-2" than before',
  ]);
  expect(complaintsOn(entry("m-1", 7_601, board, { spin: { output: 33 } }))).toEqual([
    "at 0.buttons.buttons.spin.output: must be 1 to 32",
  ]);
});

test("machines of two drivers that share a board are checked against each other", () => {
  const registry = DRIVERS as Map<string, DriverKind>;
  registry.set("other", { ...driverOf({ driver: "sas" }), name: "other" });
  onTestFinished(() => void registry.delete("other"));
  const one = entry("m-1", 7_601, { port: 502 }, { spin: { output: 1 } });
  const other = { ...entry("m-2", 7_605, { port: 502 }, { spin: { output: 1 } }), driver: "other" };
  expect(complaintsOn(one, other)).toEqual([
    'wires both "spin" of "m-1" and "spin" of "m-2" to output 1 of board 1 on 127.0.0.1:502',
  ]);
});

test("a machine that cannot be opened lets go of its board, which the next try opens again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sas-buttons-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { machines } = readMachines(JSON.stringify([entry("m-1", 9, { port: 9 }, { spin: { output: 1 } })]));
  const [machine] = machines;
  if (machine === undefined) throw new Error("no machine");
  // A file stands where the folder of the driver's memory belongs.
  await writeFile(join(folder, "driver"), "");
  let looking = 0;
  const every: Clock["every"] = (ms, run) => {
    const stop = realClock.every(ms, run);
    looking += 1;
    return () => {
      looking -= 1;
      stop();
    };
  };
  const setup = driverOf(machine).setUp(machine, {
    ...{ clock: { ...realClock, every }, folder: join(folder, "driver"), problem: () => undefined },
    floor: { seed: "s", minCycleMs: 100, timeCode: false },
  });
  await expect(setup.open()).rejects.toThrow();
  expect(looking).toBe(0);
});
