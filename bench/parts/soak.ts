import type { Finding } from "../long-run/growth.ts";
import type { LongRunOptions } from "../long-run/options.ts";
import { longRun } from "../long-run/run.ts";
import type { Part, Result } from "../result.ts";

/** The first half is not judged: each machine is watched for the first time in it, and the agent's memory comes to its size within three minutes. */
const MINUTES = 6;
const SIMULATED = { players: 8, viewers: 4, page: true };
const OPTIONS: LongRunOptions = {
  ...{ minutes: MINUTES, seed: "bench", machines: 8, simulated: SIMULATED },
  ...{ browsers: false, faults: false, measures: new Set(["growth", "money"] as const) },
  ...{ snapshots: undefined, screenshots: undefined },
};
const CONDITION = `${MINUTES} min, ${SIMULATED.players} players, ${SIMULATED.viewers} viewers`;
/** Told one by one; all others are in the count of those that grow. */
const TOLD =
  /^(platform|agent): (memory|heap)|^PostgreSQL: memory|^tables: what rows|^page: memory|: open files and sockets$/;

/** People come and go for six minutes in a venue of their own: what grows meanwhile, and whether the money stays whole. `npm run long-run` takes an hour. */
export const soak: Part = async (rig, tell) => {
  rig.say(`Soak: ${CONDITION}`);
  const quiet = { say: () => {}, minute: () => {}, stopped: () => false, browser: async () => rig.browser };
  const { findings, faults, proofs } = await longRun(OPTIONS, quiet);
  for (const finding of findings.filter(({ measure }) => TOLD.test(measure.name))) tell(growthOf(finding));
  const growing = findings.filter(({ judged }) => judged.is === "grows").length;
  const none = { reach: { of: "figure", atMost: 0 } } as const;
  tell({ what: `soak: measures that grow, of ${findings.length}`, ...times(growing), held: none });
  const wrong = faults.length - growing;
  tell({ what: `soak: faults in the money, proved ${proofs} times`, ...times(wrong), held: none });
  for (const fault of faults) rig.say(`Soak: ${fault}`);
};

const times = (value: number) => ({ condition: CONDITION, unit: "times" as const, value });

function growthOf({ measure, judged }: Finding): Result {
  return {
    what: `soak: rise of ${measure.name}`,
    condition: CONDITION,
    unit: measure.unit,
    value: judged.is === "short" ? null : judged.rise,
    held: { reach: { of: "figure", atMost: Math.floor(judged.allowed * 10) / 10 } },
  };
}
