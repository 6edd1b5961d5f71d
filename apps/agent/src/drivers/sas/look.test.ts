import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runDoctor } from "../../doctor/doctor.ts";
import { realClock } from "../../media/testing/real-clock.ts";
import { wallNow } from "../../system-clock.ts";
import { startCabinet } from "./driver/testing/cabinet.ts";

test("a look at a real machine reads, and leaves its memory, its events and its outputs as they are", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sas-look-"));
  const cabinet = await startCabinet(join(folder, "cabinet"), []);
  onTestFinished(async () => {
    await cabinet.end();
    await rm(folder, { recursive: true });
  });
  const memory = () => Promise.all([0, 1].map((bank) => readFile(join(folder, "cabinet", `bank-${bank}`), "utf8")));
  await cabinet.order({ do: "door", open: true });
  const before = await memory();
  const machine = {
    ...{ driver: "sas", id: "hall-07", name: "Hall 07", brand: "House", picture: { kind: "test", size: "320x240" } },
    line: { kind: "tcp", host: "127.0.0.1", port: cabinet.sasPort },
    panel: [{ id: "spin", label: "SPIN", kind: "wager", minGapMs: 250 }],
    buttons: {
      carrier: { kind: "modbus-tcp", host: "127.0.0.1", port: cabinet.buttonsPort },
      board: { kind: "waveshare" },
      buttons: { spin: { output: 1 } },
    },
  };
  const environment = {
    ...{ PLATFORM_URL: "ws://127.0.0.1:9/agent", AGENT_KEY: "a-key-of-16-letters-or-more" },
    ...{ DATA_FOLDER: join(folder, "agent"), MACHINES: JSON.stringify([machine]) },
  };
  const lines: string[] = [];
  const code = await runDoctor(["--machine", "hall-07", "--look", "--polls", "10"], {
    ...{ environment, clock: realClock, wallNow, write: (text) => void lines.push(text) },
    readFile: () => {
      throw new Error("no file");
    },
  });
  expect(lines.join("")).toMatch(/WRONG {2}AFT registration: The machine says that no money can be moved now/);
  expect(code).toBe(1);
  const { received, board } = (await cabinet.report()) as { received: object; board: object };
  // No general poll: it would take what the machine has to report. Of the board, outputs are read.
  expect(Object.keys(received).toSorted()).toEqual(["1a", "1f", "51", "54", "6f", "73", "74", "7e", "a0", "af"]);
  expect(board).toEqual({ received: { "1": 1 } });
  expect(await memory()).toEqual(before);
});
