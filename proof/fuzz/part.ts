import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Part } from "../part.ts";
import { watchPlayer } from "./player.ts";
import { runFuzz, TARGETS } from "./run.ts";

const MINUTES = 10;

export const fuzz: Part = {
  proves:
    "whatever a watcher sends that is nearly right, no process ends, hangs or grows, and the player's frames come",
  options: [
    `--minutes N       how long in all (${MINUTES})`,
    "--seed N          repeats the same inputs (another each time)",
    `--targets a,b     which of ${TARGETS.join(", ")} (all)`,
    "--watch-player    instead: a watcher does his worst beside a seated player, whose frames are held against a control",
  ],
  async run(words, say) {
    const { values } = parseArgs({
      args: [...words],
      options: {
        ...{ minutes: { type: "string" }, seed: { type: "string" }, targets: { type: "string" } },
        "watch-player": { type: "boolean" },
      },
    });
    const minutes = Number(values.minutes ?? MINUTES);
    const seed = Number(values.seed ?? Math.floor(performance.timeOrigin) % 1_000_000);
    if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("--minutes and --seed must be numbers");
    const named = values.targets?.split(",") ?? TARGETS;
    const targets = TARGETS.filter((target) => named.includes(target));
    if (targets.length !== named.length) throw new Error(`--targets must be some of ${TARGETS.join(", ")}`);
    say(`${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}, seed ${seed}`);
    if (values["watch-player"] === true) return await watchPlayer({ minutes, seed, say });
    const outcomes = await runFuzz({ targets, seed, minutes, judges: true, say });
    const broken = outcomes.filter(({ faults }) => faults.length > 0).length;
    say(broken === 0 ? "HELD" : `BROKEN: ${broken} of ${outcomes.length} targets; again with --seed ${seed}`);
    return broken === 0;
  },
};
