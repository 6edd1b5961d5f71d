import type { Step, StepResult } from "../doctor/commissioning/commissioning.ts";
import { failed, noted, passed } from "../doctor/commissioning/commissioning.ts";
import type { Clock } from "../ports/clock.ts";
import type { WiredButtons } from "./config.ts";
import { lineOf } from "./config.ts";
import type { LineAnswer } from "./line.ts";
import { ModbusLine } from "./line.ts";

export type BoardStepDeps = {
  readonly wiring: WiredButtons;
  readonly clock: Clock;
  /** False: a key switch on local is a finding of this step, because no later one looks at it. */
  readonly acts: boolean;
};

/** Of Modbus: the board does not have this function at all. */
const UNKNOWN_FUNCTION = 0x01;

/** Looks at the button board by its inputs and outputs alone: reads them, and moves none. */
export const boardStep = (deps: BoardStepDeps): Step => ({
  id: "board",
  title: "Button board",
  needs: [],
  run: async () => {
    const { wiring, clock } = deps;
    const line = new ModbusLine({ carrier: wiring.carrier, clock });
    try {
      return await look(deps, line);
    } finally {
      await line.close();
    }
  },
});

async function look({ wiring, acts }: BoardStepDeps, line: ModbusLine): Promise<StepResult> {
  const { unit, keySwitch, board } = wiring;
  const where = { board: lineOf(wiring.carrier), unit };
  const outputs = Object.entries(wiring.buttons);
  const count = Math.max(...outputs.map(([, { output }]) => output));
  const readsOutputs = board.kind === "waveshare" || board.readBack;
  const coils = readsOutputs ? await line.request(unit, { is: "readCoils", from: 0, count }) : undefined;
  if (coils?.is === "exception" && coils.code === UNKNOWN_FUNCTION)
    return failed("board.blind", "The board answers that it does not know the request for its outputs.", where);
  if (coils !== undefined && coils.is !== "done") return failure(coils, `outputs 1 to ${count}`, where);
  const stuck = outputs.filter(([, { output }]) => coils?.bits[output - 1] === true).map(([id]) => id);
  const evidence = { ...where, outputs: outputs.map(([id, { output }]) => `${id} ${output}`).join(", ") };
  if (stuck.length > 0)
    return failed("button.stuck", `The board says that the output of ${stuck.join(" and ")} is on.`, evidence);
  if (keySwitch === undefined)
    return coils === undefined
      ? noted("This board cannot be read, so only a press shows whether it answers.", evidence)
      : passed("The board answers, and all of its outputs are off.", evidence);
  const input = await line.request(unit, { is: "readInputs", from: keySwitch.input - 1, count: 1 });
  if (input.is !== "done") return failure(input, `input ${keySwitch.input}`, where);
  const isRemote = (input.bits[0] === true) === (keySwitch.remoteWhen === "closed");
  const all = { ...evidence, keySwitch: isRemote ? "remote" : "local" };
  if (isRemote) return passed("The board answers, all of its outputs are off, and the key switch is on remote.", all);
  const says = "The key switch is on local, or its wire is broken.";
  return acts ? noted(says, all) : failed("state.local", says, all);
}

function failure(
  answer: Exclude<LineAnswer, { is: "done" }>,
  what: string,
  evidence: { board: string; unit: number },
): StepResult {
  if (answer.is === "exception")
    return failed("board.refused", `The board answers with Modbus exception ${answer.code} to ${what}.`, evidence);
  if (answer.is === "notSent") return failed("board.away", answer.says, evidence);
  return failed("board.silent", `Unit ${evidence.unit} does not answer. ${answer.says}`, evidence);
}
