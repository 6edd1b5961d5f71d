import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Driver } from "../../ports/driver.ts";
import type { EgmUnderTest } from "../../ports/egm.conformance.ts";
import { egmConformance } from "../../ports/egm.conformance.ts";
import { systemClock } from "../../system-clock.ts";
import { openSas } from "./driver/open.ts";
import type { Cabinet } from "./driver/testing/cabinet.ts";
import { startCabinet } from "./driver/testing/cabinet.ts";

/*
 * The driver against the cabinet, which is another program. A whole run has all cases, over the framed stream and over a pseudo terminal, with the
 * longest history; a short one the core over the stream, from the first poll as often as a machine may allow, with a history of four.
 */
const FORM = WHOLE_RUN
  ? ({ cases: "all", cycleMs: 1_500, history: 127, pollMs: 200 } as const)
  : ({ cases: "core", cycleMs: 800, history: 4, pollMs: 40 } as const);

const clock = systemClock();
const DEADLINE_MS = 120_000;
const LOOK_MS = 50;
const OPENED_MAX = 3;

async function make(carrier: "tcp" | "pty", handPay: boolean): Promise<EgmUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "sas-conformance-"));
  const cabinet = await startCabinet(join(folder, "cabinet"), [
    ...["--cycle", `${FORM.cycleMs}`, "--history", `${FORM.history}`, "--denomination", "1", "--seed", "conformance"],
    ...(carrier === "pty" ? ["--pty"] : []),
  ]);
  if (handPay) await cabinet.order({ do: "wish", wish: "handpay" });
  let driver = await openDriver(folder, cabinet);
  return {
    get egm() {
      return driver.egm;
    },
    powerCycle: async () => {
      await driver.close();
      await cabinet.order({ do: "powerCut", offMs: 0 });
      driver = await openDriver(folder, cabinet);
      return driver.egm;
    },
    until: async (condition) => {
      const end = clock.now() + DEADLINE_MS;
      while (!(await condition())) {
        if (clock.now() > end) throw new Error("The condition never held.");
        await new Promise<void>((passed) => clock.after(LOOK_MS, passed));
      }
    },
    ...switches(cabinet, () => driver.egm),
    end: async () => {
      await driver.close();
      await cabinet.end();
      await rm(folder, { recursive: true });
    },
  };
}

/** As the agent does: a line that a busy computer was slow to start is opened again. */
async function openDriver(folder: string, cabinet: Cabinet): Promise<Driver> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openOnce(folder, cabinet);
    } catch (error) {
      if (tries === OPENED_MAX) throw error;
    }
  }
}

function openOnce(folder: string, cabinet: Cabinet): Promise<Driver> {
  const button = (id: string, kind: "wager" | "select") => ({ id, label: id, kind, minGapMs: 0 });
  return openSas({
    ...{ id: "m-1", name: "Cabinet 1", brand: "Own", address: 1, assetNumber: undefined, profile: "standard" },
    line:
      cabinet.pty === undefined
        ? { kind: "tcp", host: "127.0.0.1", port: cabinet.sasPort }
        : { kind: "framed", device: cabinet.pty },
    panel: [button("spin", "wager"), button("betUp", "select")],
    limits: { minCycleMs: FORM.cycleMs, minTransfer: 1, maxTransfer: 1_000_000, autoplay: false },
    ...{ settleMs: 3_000, confirmMs: 3_000, trace: true, folder: join(folder, "driver"), clock, lastEvent: undefined },
    problem: () => undefined,
    // A cabinet that was just switched on has nothing to acknowledge, so its line need not rest before it is synchronised.
    timing: { pollMs: FORM.pollMs, loopBreakMs: 100 },
    presses: {
      buttons: ["spin", "betUp"],
      press: async (id) => {
        await cabinet.order({ do: "press", button: id });
        return { outcome: "sent", readBack: "unread" };
      },
      pressLonger: async () => undefined,
      keySwitch: () => "remote",
      onKeySwitch: () => () => undefined,
      close: async () => undefined,
    },
  });
}

/** Orders to the cabinet, each until the driver has seen it. */
function switches(cabinet: Cabinet, egm: () => EgmUnderTest["egm"]) {
  const until = async (lockup: string | undefined): Promise<void> => {
    const end = clock.now() + DEADLINE_MS;
    while ((await egm().meters()).lockup !== lockup && clock.now() < end)
      await new Promise<void>((passed) => clock.after(LOOK_MS, passed));
  };
  return {
    openDoor: () => cabinet.order({ do: "door", open: true }).then(() => until("door")),
    closeDoor: () => cabinet.order({ do: "door", open: false }).then(() => until(undefined)),
    tilt: () => cabinet.order({ do: "tilt" }).then(() => until("tilt")),
    clearTilt: () => cabinet.order({ do: "clearTilt" }).then(() => until(undefined)),
  };
}

egmConformance("SAS over the framed stream", {
  cases: FORM.cases,
  make: () => make("tcp", false),
  makeWithHandPay: () => make("tcp", true),
});
if (WHOLE_RUN)
  egmConformance("SAS over a pseudo terminal", {
    make: () => make("pty", false),
    makeWithHandPay: () => make("pty", true),
  });
