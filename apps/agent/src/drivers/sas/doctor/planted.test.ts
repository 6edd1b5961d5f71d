import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { FaultName } from "../../../doctor/commissioning/faults.ts";
import type { CommissioningReport } from "../../../doctor/commissioning/report.ts";
import { runDoctor } from "../../../doctor/doctor.ts";
import { realClock } from "../../../media/testing/real-clock.ts";
import { wallNow } from "../../../system-clock.ts";
import { openPty } from "../carriers/testing/pty.ts";
import type { Cabinet } from "../driver/testing/cabinet.ts";
import { startCabinet } from "../driver/testing/cabinet.ts";

/* Wiring and firmware faults, planted in the cabinet or beside it, and the name under which the doctor's command finds each. */

/** A machine as its menu leaves the factory. */
const MENU = {
  ...{ address: 1, assetNumber: 1_001, version: "602", aft: "on", statedDenomination: null, hostControl: true },
  ...{ counts: true, transferMax: 10_000_000, transferMs: 40, refuses: null, locks: true, lacks: [] },
} as const;
/** Credit of a machine before a row plants its fault: two bills of 100. */
const BILLS = 2;
const SOON = { timeout: 60_000, interval: 20 };

const key = (id: string, kind = "select") => ({ id, label: id, kind, minGapMs: 100 });
const wired = (more: object = {}) => ({ spin: { output: 1 }, betDown: { output: 2 }, betUp: { output: 3 }, ...more });

/** An entry of the list of machines: a whole cabinet, as an operator would write it, with patience for the other tests of this computer. */
const entry = ({ sasPort, buttonsPort }: Cabinet) => ({
  ...{ driver: "sas", id: "m-1", name: "M 1", brand: "House", minCycleMs: 100, picture: { kind: "test" } },
  ...{
    line: { kind: "tcp", host: "127.0.0.1", port: sasPort },
    timing: { pollMs: 40, slackMs: 60 },
    profile: "standard",
  },
  panel: [key("spin", "wager"), key("betDown"), key("betUp")],
  buttons: {
    carrier: { kind: "modbus-tcp", host: "127.0.0.1", port: buttonsPort, answerMs: 1_500 },
    board: { kind: "waveshare" } as object,
    ...{ unit: 1, buttons: wired(), keySwitch: { input: 1, pollMs: 50 } },
  },
});
type Entry = ReturnType<typeof entry>;

type Row = {
  readonly menu?: Partial<Record<keyof typeof MENU, unknown>>;
  /** Orders to the cabinet once it has its credit. */
  readonly orders?: readonly object[];
  /** What the list of machines says otherwise. */
  readonly listed?: (whole: Entry, cabinet: Cabinet) => object;
  /** Something beside the cabinet; resolves to its end. */
  readonly beside?: (cabinet: Cabinet) => Promise<() => unknown>;
  /** A run of the agent or of the doctor before the fault. */
  readonly runBefore?: string;
  readonly look?: true;
};

const line = (faults: object): Row => ({ orders: [{ do: "line", faults }] });
const board = (faults: object): Row => ({ orders: [{ do: "board", faults }] });
const buttons = (more: object): Row => ({ listed: (whole) => ({ buttons: { ...whole.buttons, ...more } }) });
const serial = (device: string): Row => ({ listed: () => ({ line: { kind: "serial", device } }) });

/** What is wrong in words, how it is planted, the step that finds it, and its name. */
const PLANTED: readonly (readonly [string, Row, string, FaultName])[] = [
  ["no such serial device", serial("/dev/longarm-none"), "port", "port.away"],
  ["a front end without power", { listed: ({ line: at }) => ({ line: { ...at, port: 9 } }) }, "port", "port.away"],
  [
    "a serial port without mark and space parity",
    {
      ...serial("/dev/pts/none"),
      beside: async () => {
        const { device, other } = openPty();
        pty = device;
        return () => void other.destroy();
      },
      listed: () => ({ line: { kind: "serial", device: pty } }),
    },
    "port",
    "port.parity",
  ],
  [
    "a device that does not speak the framing",
    { listed: ({ line: at }, { buttonsPort }) => ({ line: { ...at, port: buttonsPort } }) },
    "port",
    "port.foreign",
  ],
  [
    "another host on the front end",
    {
      beside: async ({ sasPort }) => {
        const host = connect(sasPort, "127.0.0.1");
        await once(host, "data");
        return () => void host.destroy();
      },
    },
    "port",
    "port.taken",
  ],
  ["both wires of the line cut", line({ drop: 1_000 }), "answer", "line.silent"],
  ["SAS switched off in the machine's menu", { menu: { address: 0 } }, "answer", "line.silent"],
  ["two ends of different speed", line({ speed: "wrong" }), "answer", "line.speed"],
  ["an adapter that loses the ninth bit", line({ wakeup: "lost", way: "machine" }), "answer", "line.wakeup"],
  ["the host's wire cut", line({ drop: 1_000, way: "machine" }), "answer", "line.wakeup"],
  ["an adapter that keeps the ninth bit set", line({ wakeup: "stuck", way: "machine" }), "answer", "line.torn"],
  ["another address in the machine's menu", { menu: { address: 2 } }, "answer", "line.address"],
  ["a machine that is busy", { orders: [{ do: "busy", on: true }] }, "answer", "line.busy"],
  ["noise on the line", line({ flip: 20 }), "errors", "line.errors"],
  ["late bytes", line({ late: 100, lateMs: 15, way: "host" }), "errors", "line.pauses"],
  ["an old version", { menu: { version: "501" } }, "version", "version.old"],
  ["a program without poll 1F", { menu: { lacks: [0x1f] } }, "version", "polls.missing"],
  ["a clock that is wrong", { orders: [{ do: "clock", jumpMs: 3_600_000 }] }, "clock", "clock.wrong"],
  ["a program without meters", { menu: { lacks: [0x6f, 0xaf, 0x2f, 0x0f] } }, "reported", "meters.missing"],
  ["another denomination than it counts in", { menu: { statedDenomination: 25 } }, "reported", "meters.denomination"],
  [
    "a memory that was cleared",
    { runBefore: "button:spin", orders: [{ do: "loseMemory" }] },
    "reported",
    "meters.cleared",
  ],
  ["a program without transfers", { menu: { lacks: [0x72, 0x73, 0x74] } }, "registration", "aft.missing"],
  ["transfers switched off", { menu: { aft: "off" } }, "registration", "aft.off"],
  ["another asset number", { listed: () => ({ assetNumber: 77 }) }, "registration", "aft.asset"],
  ["no asset number", { menu: { assetNumber: 0 } }, "registration", "aft.noAsset"],
  ["a small transfer limit", { menu: { transferMax: 5_000 } }, "registration", "aft.limit"],
  [
    "a door that is open, only looked at",
    { orders: [{ do: "door", open: true }], look: true },
    "registration",
    "state.blocked",
  ],
  ["transfers only for a registered host", { menu: { aft: "registered" } }, "transfer", "aft.unregistered"],
  ["a machine that refuses transfers", { menu: { refuses: 0x87 } }, "transfer", "aft.refused"],
  ["a transfer that does not end", { menu: { transferMs: 60_000 } }, "transfer", "aft.pending"],
  ["a machine that cannot be locked", { menu: { locks: false } }, "lock", "aft.lock"],
  ["a machine that no host may stop", { menu: { hostControl: false } }, "shutdown", "disable.ignored"],
  [
    "a board without power",
    buttons({ carrier: { kind: "modbus-tcp", host: "127.0.0.1", port: 9 } }),
    "board",
    "board.away",
  ],
  ["a board that answers nothing", board({ silent: true }), "board", "board.silent"],
  ["another address of the board", buttons({ unit: 2 }), "board", "board.silent"],
  [
    "an output that the board does not have",
    buttons({ buttons: wired({ spin: { output: 9 } }) }),
    "board",
    "board.refused",
  ],
  ["a board that cannot read its outputs", board({ blind: true }), "board", "board.blind"],
  ["a relay that sticks", board({ stuck: ["betUp"] }), "board", "button.stuck"],
  ["an output that another program left on", { beside: leaveOn }, "board", "button.stuck"],
  ["a door that is open", { orders: [{ do: "door", open: true }] }, "state", "state.door"],
  ["a tilt", { orders: [{ do: "tilt" }] }, "state", "state.tilt"],
  ["a hand pay", { orders: [{ do: "handPay", amount: 5_000 }] }, "state", "state.handPay"],
  ["the key switch on local", { orders: [{ do: "key", remote: false }] }, "state", "state.local"],
  ["a broken wire to SPIN", board({ dead: ["spin"] }), "button:spin", "button.dead"],
  ["two swapped wires", board({ swapped: ["spin", "betUp"] }), "button:spin", "button.swapped"],
  ["a relay that opens late", board({ sticky: ["spin"] }), "button:spin", "button.twice"],
  ["a worn contact of SPIN", board({ worn: ["spin"] }), "button:spin", "button.short"],
  ["a button that is not wired", buttons({ buttons: { spin: { output: 1 } } }), "button:betUp", "button.unwired"],
  ["a broken wire to BET +", board({ dead: ["betUp"] }), "button:betUp", "button.dead"],
  ["swapped wires of BET - and BET +", board({ swapped: ["betDown", "betUp"] }), "button:betUp", "button.swapped"],
  ["a worn contact of BET +", board({ worn: ["betUp"] }), "button:betUp", "button.short"],
  ["meters that do not count", { menu: { counts: false } }, "button:spin", "meters.still"],
];

/** A short run has one row of each step: each plays in real time. */
const ROWS = PLANTED.filter(
  ([, , step], index) => WHOLE_RUN || PLANTED.findIndex(([, , other]) => other === step) === index,
);

let pty = "";

/** Another Modbus client turns output 1 on, and off when the row is over. */
async function leaveOn({ buttonsPort }: Cabinet): Promise<() => Promise<void>> {
  const client = connect(buttonsPort, "127.0.0.1");
  const write = async (value: string): Promise<void> => {
    client.write(Buffer.from(`000100000006010500 00${value}`.replace(" ", ""), "hex"));
    await once(client, "data");
  };
  await write("ff00");
  return () => write("0000").finally(() => client.destroy());
}

// A few cabinets serve all rows: each row finds one as new.
const free: Cabinet[] = [];
const started: Promise<Cabinet>[] = [];
const folders: string[] = [];
const folderOf = async (name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `sas-planted-${name}-`));
  folders.push(folder);
  return folder;
};
async function withCabinet<T>(use: (cabinet: Cabinet) => Promise<T>): Promise<T> {
  const cabinet = free.pop() ?? (await startOne());
  return await use(cabinet).finally(() => free.push(cabinet));
}
function startOne(options: readonly string[] = []): Promise<Cabinet> {
  const next = folderOf("cabinet").then((folder) => startCabinet(folder, ["--cycle", "300", ...options]));
  started.push(next);
  return next;
}

async function makeNew(cabinet: Cabinet, { menu, orders = [] }: Row): Promise<void> {
  const whole = [
    ...["line", "board", "screen"].map((what) => ({ do: what, faults: {} })),
    ...[{ do: "busy", on: false }, { do: "key", remote: true }, { do: "loseMemory" }],
    { do: "menu", set: { ...MENU, ...menu }, offMs: 0 },
  ];
  for (const order of whole) await cabinet.order(order);
  await vi.waitFor(async () => expect(await cabinet.report()).toMatchObject({ power: true }), SOON);
  for (let bill = 0; bill < BILLS; bill += 1) await cabinet.order({ do: "bill", value: 100 });
  for (const order of orders) await cabinet.order({ ...order });
}

/** Runs the doctor's command, as an operator does, on the steps that are wanted and on those that they need. */
async function examine(
  machine: object,
  folder: string,
  only: string | undefined,
  look?: true,
): Promise<CommissioningReport> {
  const parts: string[] = [];
  const given = ["--machine", "m-1", "--json", "--polls", "15", ...(look ? ["--look"] : [])];
  await runDoctor(only === undefined ? given : [...given, "--only", only], {
    environment: {
      ...{ PLATFORM_URL: "ws://127.0.0.1:9/agent", AGENT_KEY: "a-key-of-16-letters-or-more" },
      ...{ DATA_FOLDER: folder, MACHINES: JSON.stringify([machine]) },
    },
    ...{ clock: realClock, wallNow, write: (part) => void parts.push(part) },
    readFile: () => {
      throw new Error("no file");
    },
  });
  return JSON.parse(parts.join("")) as CommissioningReport;
}

/** Step, name and sentence of each failure. */
type Findings = readonly (readonly [string, FaultName, string])[];

const faultsOf = ({ steps }: CommissioningReport): Findings =>
  steps.flatMap((step) => (step.outcome === "failed" ? [[step.id, step.fault, step.says] as const] : []));

async function findingsOf({ runBefore, ...row }: Row, step: string): Promise<Findings> {
  return await withCabinet(async (cabinet) => {
    const whole = entry(cabinet);
    const folder = await folderOf("agent");
    if (runBefore !== undefined) {
      await makeNew(cabinet, {});
      expect(faultsOf(await examine(whole, folder, runBefore))).toEqual([]);
    }
    await makeNew(cabinet, row);
    const end = await row.beside?.(cabinet);
    try {
      return faultsOf(await examine({ ...whole, ...row.listed?.(whole, cabinet) }, folder, step, row.look));
    } finally {
      await end?.();
    }
  });
}

// The screen of one cabinet, as a network camera sees it.
const pictureOf = ({ screenPort }: Cabinet) => ({ kind: "rtsp", url: `rtsp://127.0.0.1:${screenPort}/screen` });

type Seen = {
  readonly what: string;
  readonly screen?: object;
  readonly step: string;
  readonly fault: FaultName;
  readonly look?: true;
  /** The machine before which the camera stands; absent: the one that is examined. */
  readonly of?: "another" | "none";
};
const PICTURES: readonly Seen[] = [
  { what: "a camera that is away", of: "none", step: "picture", fault: "picture.none", look: true },
  { what: "a screen that is off", screen: { dark: true }, step: "picture", fault: "picture.dark", look: true },
  { what: "a camera at another machine", of: "another", step: "light", fault: "picture.still" },
  { what: "a picture that is frozen", screen: { frozen: true }, step: "light", fault: "picture.still" },
  { what: "a picture that comes late", screen: { delayMs: 2_000 }, step: "light", fault: "light.slow" },
];
/** A short run has one of each fault. */
const SEEN = PICTURES.filter(
  ({ fault }, index) => WHOLE_RUN || PICTURES.findIndex((other) => other.fault === fault) === index,
);

async function seen({ screen = {}, of, step, look }: Seen, camera: Cabinet): Promise<Findings> {
  await makeNew(camera, { orders: [{ do: "screen", faults: screen }] });
  const examined = async (cabinet: Cabinet, picture: object): Promise<Findings> =>
    faultsOf(await examine({ ...entry(cabinet), picture }, await folderOf("agent"), step, look));
  if (of === undefined) return await examined(camera, pictureOf(camera));
  return await withCabinet(async (cabinet) => {
    await makeNew(cabinet, {});
    const away = { kind: "rtsp", url: "rtsp://127.0.0.1:9/screen" };
    return await examined(cabinet, of === "none" ? away : pictureOf(camera));
  });
}

async function whole(camera: Cabinet): Promise<CommissioningReport> {
  await makeNew(camera, {});
  return await examine({ ...entry(camera), picture: pictureOf(camera) }, await folderOf("agent"), undefined);
}

/** Runs these one after the other. Their errors are for the tests that wait for them. */
function inTurn<T>(works: readonly (() => Promise<T>)[]): Promise<T>[] {
  let last: Promise<unknown> = Promise.resolve();
  return works.map((work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  });
}

/** The rows mostly wait for their machine, so several run at once. */
const AT_ONCE = 4;
const runs = {
  planted: new Map<string, Promise<Findings>>(),
  seen: new Map<string, Promise<Findings>>(),
  whole: new Map<string, Promise<CommissioningReport>>(),
  camera: Promise.withResolvers<Cabinet>().promise,
};
beforeAll(() => {
  for (let lane = 0; lane < AT_ONCE; lane += 1) {
    const rows = ROWS.filter((_row, index) => index % AT_ONCE === lane);
    const found = inTurn(
      rows.map(
        ([_what, row, step]) =>
          () =>
            findingsOf(row, step),
      ),
    );
    for (const [index, [what]] of rows.entries()) runs.planted.set(what, found[index] ?? Promise.resolve([]));
  }
  const camera = startOne(["--screen", "0"]);
  const looks = inTurn(SEEN.map((row) => async () => seen(row, await camera)));
  for (const [index, { what }] of SEEN.entries()) runs.seen.set(what, looks[index] ?? Promise.resolve([]));
  runs.camera = camera;
  runs.whole.set(
    "whole",
    Promise.allSettled(looks).then(async () => whole(await camera)),
  );
  // Its error is for the test that waits for it.
  for (const run of runs.whole.values()) run.catch(() => undefined);
});
afterAll(async () => {
  await Promise.allSettled([...runs.planted.values(), ...runs.seen.values(), ...runs.whole.values()]);
  for (const cabinet of await Promise.all(started)) await cabinet.end();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const only = (step: string, fault: FaultName): unknown => [[step, fault, expect.any(String)]];
/** What was begun for all rows; a second try begins again. */
function taken<T>(begun: Map<string, Promise<T>>, what: string, again: () => Promise<T>): Promise<T> {
  const first = begun.get(what);
  begun.delete(what);
  return first ?? again();
}
test.each(ROWS)("%s (%j): %s finds %s, and nothing else", async (what, row, step, fault) => {
  expect(await taken(runs.planted, what, () => findingsOf(row, step))).toEqual(only(step, fault));
});
test.each(SEEN)("$what: $step finds $fault, and nothing else", async (row) => {
  const again = async () => seen(row, await runs.camera);
  expect(await taken(runs.seen, row.what, again)).toEqual(only(row.step, row.fault));
});

test("a cabinet without a fault passes every step, each button is seen, and its report marks what changed", async () => {
  const report = await taken(runs.whole, "whole", async () => whole(await runs.camera));
  expect(report?.steps.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(report?.verdict).toBe("ready");
  const light = report?.steps.find(({ id }) => id === "light");
  expect(Buffer.from(light?.picture?.webp ?? "", "base64").toString("latin1", 8, 12)).toBe("WEBP");
  expect(light?.picture?.mark?.width).toBeGreaterThan(0);
});
