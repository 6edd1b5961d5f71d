import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadFigures } from "@longarm/load/run/report";
import { ROOT } from "../../launcher/venue.ts";
import type { Finding } from "../long-run/growth.ts";
import type { LongRunOptions } from "../long-run/options.ts";
import { longRun } from "../long-run/run.ts";
import type { Part, Result } from "../result.ts";
import type { Setup } from "../setup/setup.ts";

/** Arguments of `longarm load`: half a minute, with as many watchers as three on each machine. */
const PEOPLE = { machines: 4, players: 4, viewers: 12, minutes: 0.5 } as const;
/** Making people, their last games and their money's way home come on top; then the command is ended, ms. */
const RUN_MS_MAX = 240_000;

/** The part of the command's answer that is reported here. */
type Answer = {
  readonly figures: LoadFigures;
  readonly money: readonly {
    readonly before: number;
    readonly after: number;
    readonly net: number;
    readonly away: number;
  }[];
  readonly effort: { readonly processorShare: number; readonly lateMs: number };
  readonly failures: readonly string[];
};

/** What people feel of the bench's own venue, by the command that operators have for theirs. */
export const load: Part = async (setup, report) => {
  setup.say(
    `Load: ${PEOPLE.players} players and ${PEOPLE.viewers} viewers on ${PEOPLE.machines} machines, without browsers`,
  );
  const { figures, money, effort, failures } = await runLoad(setup);
  for (const failure of failures) setup.say(`Load: ${failure}`);
  const condition = `${PEOPLE.machines} machines, ${PEOPLE.players} players, ${PEOPLE.viewers} viewers`;
  const { times, pictures } = figures;
  report({
    what: "load: sit or watch until the first picture",
    condition,
    unit: "ms",
    value: times["first picture"] ?? null,
  });
  report({ what: "load: sit until the seat is given", condition, unit: "ms", value: times["seat"] ?? null });
  report({
    what: "load: press until the machine's answer",
    condition,
    unit: "ms",
    value: times["press answered"] ?? null,
  });
  report({ what: "load: a picture's age when it is whole", condition, unit: "ms", value: pictures.ageMs });
  report({ what: "load: pictures of each", condition, unit: "a second", value: pictures.aSecond });
  report({ what: "load: longest gap of anybody's pictures", condition, unit: "ms", value: pictures.longestGapMs });
  report({
    what: "load: busiest process of the tool",
    condition,
    unit: "% of a core",
    value: effort.processorShare * 100,
  });
  const none = { reach: { of: "figure", atMost: 0 } } as const;
  const amiss = money.filter(({ before, after, net, away }) => away !== 0 || after !== before + net).length;
  report({ what: "load: wallets that do not add up", condition, unit: "times", value: amiss, held: none });
  report({
    what: "load: whatever else is not as it must be",
    condition,
    unit: "times",
    value: failures.length - amiss,
    held: none,
  });
};

async function runLoad({ venue }: Setup): Promise<Answer> {
  const numbers = Object.entries(PEOPLE).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "apps/platform/src/cli/main.ts"),
      "load",
      "--url",
      venue.href,
      ...numbers,
      "--as-root",
      "a measurement",
      "--yes",
      "--json",
    ],
    {
      env: { ...process.env, DATABASE_URL: venue.databaseUrl },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: RUN_MS_MAX,
    },
  );
  const printed = { out: "", err: "" };
  child.stdout.on("data", (part: Buffer) => {
    printed.out += part.toString("utf8");
  });
  child.stderr.on("data", (part: Buffer) => {
    printed.err += part.toString("utf8");
  });
  await once(child, "close");
  // The answer also has whatever is wrong; without an answer nothing was measured.
  if (!printed.out.startsWith("{")) throw new Error(`longarm load ended without an answer: ${printed.err.trim()}`);
  return JSON.parse(printed.out) as Answer;
}

/** The first half is not judged: each machine is watched for the first time in it, and the agent's memory comes to its size within three minutes. */
const MINUTES = 6;
const SIMULATED = { players: 8, viewers: 4, page: true };
const OPTIONS: LongRunOptions = {
  ...{ minutes: MINUTES, seed: "bench", machines: 8, simulated: SIMULATED },
  ...{ browsers: false, faults: false, measures: new Set(["growth", "money"] as const) },
  ...{ snapshots: undefined, screenshots: undefined },
};
const CONDITION = `${MINUTES} min, ${SIMULATED.players} players, ${SIMULATED.viewers} viewers`;
/** Reported one by one; all others are in the count of those that grow. */
const REPORTED =
  /^(platform|agent): (memory|heap)|^PostgreSQL: memory|^tables: what rows|^page: memory|: open files and sockets$/;

/** People come and go for six minutes in a venue of their own: what grows meanwhile, and whether the money stays whole. `npm run long-run` takes an hour. */
export const soak: Part = async (setup, report) => {
  setup.say(`Soak: ${CONDITION}`);
  const quiet = { say: () => {}, minute: () => {}, stopped: () => false, browser: async () => setup.browser };
  const { findings, faults, proofs } = await longRun(OPTIONS, quiet);
  for (const finding of findings.filter(({ measure }) => REPORTED.test(measure.name))) report(growthOf(finding));
  const growing = findings.filter(({ judged }) => judged.is === "grows").length;
  const none = { reach: { of: "figure", atMost: 0 } } as const;
  report({ what: `soak: measures that grow, of ${findings.length}`, ...times(growing), held: none });
  const wrong = faults.length - growing;
  report({ what: `soak: faults in the money, proved ${proofs} times`, ...times(wrong), held: none });
  for (const fault of faults) setup.say(`Soak: ${fault}`);
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
