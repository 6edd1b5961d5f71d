import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { realClock } from "../media/testing/real-clock.ts";
import { WiredButtons } from "./config.ts";
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
  return {
    port: ready.ports.buttons,
    order: async (order: object): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(control, { method: "POST", headers, body: JSON.stringify(order) });
      expect(await answer.text()).toMatch(/"done"/);
    },
    report: async () => (await (await fetch(control)).json()) as Record<string, unknown>,
  };
}

test("a press is one pulse of the cabinet's own board and starts one game; its key switch stops presses", async () => {
  const cabinet = await startCabinet();
  const wiring = WiredButtons.parse({
    carrier: { kind: "modbus-tcp", host: "127.0.0.1", port: cabinet.port },
    board: { kind: "waveshare" },
    buttons: { spin: { output: 1 }, betDown: { output: 2 }, betUp: { output: 3 } },
    keySwitch: { input: 1, pollMs: 50, debounceMs: 50 },
  });
  const said: string[] = [];
  const presses = openButtons({ wiring, clock: realClock, problem: (sentence) => said.push(sentence) });
  onTestFinished(() => presses.close());
  await cabinet.order({ do: "bill", value: 100 });
  await vi.waitFor(() => expect(presses.keySwitch()).toBe("remote"), SOON);
  await vi.waitFor(async () => expect(await presses.press("spin")).toEqual({ outcome: "sent", readBack: "on" }), SOON);
  const gamesPlayed = async () => ((await cabinet.report())["meters"] as Record<string, number>)["05"];
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
