import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadFigures } from "@longarm/load/run/report";
import { ROOT } from "../../launcher/venue.ts";
import type { Part } from "../result.ts";
import type { Rig } from "../rig/rig.ts";

/** What is asked of `longarm load`: half a minute, with as many watchers as three on each machine. */
const PEOPLE = { machines: 4, players: 4, viewers: 12, minutes: 0.5 } as const;
/** Making people, their last games and their money's way home come on top; then the command is ended, ms. */
const RUN_MS_MAX = 240_000;

/** The part of the command's answer that is told here. */
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
export const load: Part = async (rig, tell) => {
  rig.say(
    `Load: ${PEOPLE.players} players and ${PEOPLE.viewers} viewers on ${PEOPLE.machines} machines, without browsers`,
  );
  const { figures, money, effort, failures } = await runLoad(rig);
  for (const failure of failures) rig.say(`Load: ${failure}`);
  const condition = `${PEOPLE.machines} machines, ${PEOPLE.players} players, ${PEOPLE.viewers} viewers`;
  const { times, pictures } = figures;
  tell({
    what: "load: sit or watch until the first picture",
    condition,
    unit: "ms",
    value: times["first picture"] ?? null,
  });
  tell({ what: "load: sit until the seat is given", condition, unit: "ms", value: times["seat"] ?? null });
  tell({
    what: "load: press until the machine's answer",
    condition,
    unit: "ms",
    value: times["press answered"] ?? null,
  });
  tell({ what: "load: a picture's age when it is whole", condition, unit: "ms", value: pictures.ageMs });
  tell({ what: "load: pictures of each", condition, unit: "a second", value: pictures.aSecond });
  tell({ what: "load: longest gap of anybody's pictures", condition, unit: "ms", value: pictures.longestGapMs });
  tell({
    what: "load: busiest process of the tool",
    condition,
    unit: "% of a core",
    value: effort.processorShare * 100,
  });
  const none = { reach: { of: "figure", atMost: 0 } } as const;
  const amiss = money.filter(({ before, after, net, away }) => away !== 0 || after !== before + net).length;
  tell({ what: "load: wallets that do not add up", condition, unit: "times", value: amiss, held: none });
  tell({
    what: "load: whatever else is not as it must be",
    condition,
    unit: "times",
    value: failures.length - amiss,
    held: none,
  });
};

async function runLoad({ venue }: Rig): Promise<Answer> {
  const numbers = Object.entries(PEOPLE).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(
    process.execPath,
    [join(ROOT, "apps/platform/src/cli/main.ts"), "load", "--url", venue.href, ...numbers, "--yes", "--json"],
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
  // Whatever is not as it must be stands in the answer too; without one nothing was measured.
  if (!printed.out.startsWith("{")) throw new Error(`longarm load ended without an answer: ${printed.err.trim()}`);
  return JSON.parse(printed.out) as Answer;
}
