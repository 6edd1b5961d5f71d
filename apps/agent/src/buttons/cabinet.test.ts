import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { realClock } from "../media/testing/real-clock.ts";
import { WiredButtons } from "./config.ts";
import { ModbusLine } from "./line.ts";
import { RelayBoard } from "./testing/relay-board.ts";
import { openButtons } from "./wired-buttons.ts";

/* The wired buttons against the relay board of the cabinet, which is another program with a Modbus of its own. */

const PROGRAM = fileURLToPath(new URL("../../../cabinet/src/main.ts", import.meta.url));
const SOON = { timeout: 30_000 };

async function startCabinet() {
  const folder = await mkdtemp(join(tmpdir(), "longarm-cabinet-"));
  const ports = ["--sas", "0", "--buttons", "0", "--control", "0", "--screen", "none"];
  const child = fork(PROGRAM, ["--data", folder, ...ports, "--cycle", "50"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    if (child.connected) child.disconnect();
    await gone;
    await rm(folder, { recursive: true });
  });
  const [ready] = (await once(child, "message")) as [{ ports: { buttons: number; control: number } }];
  const control = `http://127.0.0.1:${ready.ports.control}/`;
  const report = async () => (await (await fetch(control)).json()) as Record<string, unknown>;
  return {
    port: ready.ports.buttons,
    order: async (order: object): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(control, { method: "POST", headers, body: JSON.stringify(order) });
      expect(await answer.text()).toMatch(/"done"/);
    },
    report,
    gamesPlayed: async () => ((await report())["meters"] as Record<string, number>)["05"],
  };
}

const wiringOf = (port: number, spin: object, more: object = {}): WiredButtons =>
  WiredButtons.parse({
    carrier: { kind: "modbus-tcp", host: "127.0.0.1", port },
    board: { kind: "waveshare" },
    buttons: { spin: { output: 1, ...spin }, betDown: { output: 2 }, betUp: { output: 3 } },
    ...more,
  });

test("a press is one pulse of the cabinet's own board and starts one game; its key switch stops presses", async () => {
  const cabinet = await startCabinet();
  const wiring = wiringOf(cabinet.port, {}, { keySwitch: { input: 1, pollMs: 50, debounceMs: 50 } });
  const said: string[] = [];
  const presses = openButtons({ wiring, clock: realClock, problem: (sentence) => said.push(sentence) });
  onTestFinished(() => presses.close());
  await cabinet.order({ do: "bill", value: 100 });
  await vi.waitFor(() => expect(presses.keySwitch()).toBe("remote"), SOON);
  await vi.waitFor(async () => expect(await presses.press("spin")).toEqual({ outcome: "sent", readBack: "on" }), SOON);
  const { gamesPlayed } = cabinet;
  await vi.waitFor(async () => expect(await gamesPlayed()).toBe(1), SOON);
  await vi.waitFor(
    async () => expect(await presses.press("betDown")).toEqual({ outcome: "sent", readBack: "on" }),
    SOON,
  );
  await vi.waitFor(async () => expect(await cabinet.report()).toMatchObject({ bet: 800, inGame: false }), SOON);
  expect(await gamesPlayed()).toBe(1);
  await cabinet.order({ do: "key", remote: false });
  await vi.waitFor(() => expect(presses.keySwitch()).toBe("local"), SOON);
  expect(await presses.press("spin")).toMatchObject({ outcome: "refused", reason: "local" });
  expect(said).toEqual([]);
});

/** A program that presses once, reports what the board said, and holds on. */
const PRESSES = `
  import { realClock } from ${JSON.stringify(new URL("../media/testing/real-clock.ts", import.meta.url).href)};
  import { openButtons } from ${JSON.stringify(new URL("./wired-buttons.ts", import.meta.url).href)};
  const presses = openButtons({ wiring: JSON.parse(process.argv[1]), clock: realClock, problem: () => undefined });
  let pressed = { outcome: "refused" };
  while (pressed.outcome === "refused") {
    await new Promise((passed) => setTimeout(passed, 20));
    pressed = await presses.press("spin");
  }
  process.send(pressed);
`;

/** The output was on when the program was still there to turn it off. */
async function pressAndKill(wiring: WiredButtons): Promise<void> {
  const program = spawn(process.execPath, ["--input-type=module", "--eval", PRESSES, JSON.stringify(wiring)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = once(program, "exit");
  const [pressed] = (await once(program, "message")) as [unknown];
  program.kill("SIGKILL");
  expect(await gone).toEqual([null, "SIGKILL"]);
  expect(pressed).toEqual({ outcome: "sent", readBack: "on" });
}

test("kill -9 in the middle of a press: the board's own clock ends it, one game is played, the next program presses on", async () => {
  const cabinet = await startCabinet();
  const wiring = wiringOf(cabinet.port, { pulseMs: 500, minGapMs: 1_000 });
  await cabinet.order({ do: "bill", value: 100 });
  const board = new ModbusLine({ carrier: wiring.carrier, clock: realClock });
  onTestFinished(() => board.close());

  await pressAndKill(wiring);
  await vi.waitFor(
    async () =>
      expect(await board.request(1, { is: "readCoils", from: 0, count: 3 })).toMatchObject({
        is: "done",
        bits: [false, false, false],
      }),
    SOON,
  );
  await vi.waitFor(async () => expect(await cabinet.report()).toMatchObject({ inGame: false }), SOON);
  expect(await cabinet.gamesPlayed()).toBe(1);

  const presses = openButtons({ wiring, clock: realClock, problem: () => undefined });
  onTestFinished(() => presses.close());
  await vi.waitFor(async () => expect(await presses.press("spin")).toMatchObject({ outcome: "sent" }), SOON);
  await vi.waitFor(async () => expect(await cabinet.gamesPlayed()).toBe(2), SOON);
});

test("kill -9 in the middle of a press that the board does not end: its watchdog turns the output off", async () => {
  const board = new RelayBoard("mbap");
  onTestFinished(() => board.close());
  const watchdog = { register: 90, value: 20 };
  Object.assign(board, { sticks: true, watchdog: watchdog.register });
  const kind = { kind: "flash-coil", flashOn: 0x200, unitMs: 100, watchdog };
  await pressAndKill(wiringOf(await board.listen(), { pulseMs: 500, minGapMs: 1_000 }, { board: kind }));
  await vi.waitFor(() => expect(board.coils).not.toContain(true), SOON);
});
