import { parseArgs } from "node:util";

export const MEASURES = ["growth", "screens", "money"] as const;
export type MeasureName = (typeof MEASURES)[number];

/** What `npm run long-run` was called with. */
export type LongRunOptions = {
  readonly minutes: number;
  /** Repeats what players and faults choose; not the moments, which are the computer's. */
  readonly seed: string;
  /** Simulated players and viewers over HTTP, sockets and WebRTC, two that vanish again and again, and one page; null: none. */
  readonly simulated: { readonly players: number; readonly viewers: number; readonly page: boolean } | null;
  /** Whether three players act at random in browsers. */
  readonly browsers: boolean;
  /** Whether machines, links and programs are broken around them. */
  readonly faults: boolean;
  readonly measures: ReadonlySet<MeasureName>;
  readonly machines: number;
  /** Folder for heap snapshots of platform and agent, one of each when they are warm and one at the end; absent: none are made. */
  readonly snapshots: string | undefined;
  /** Folder for screenshots of findings; absent: below `.cache/long-run`. */
  readonly screenshots: string | undefined;
};

export const LONG_RUN_HELP = `npm run long-run -- [options]: run a floor for an hour and judge what players and programs show. Linux only.

Who plays:

  --who simulated|browsers|both
                         simulated: players and viewers over HTTP, sockets and WebRTC (the default)
                         browsers: three players act at random in Chromium while faults are injected
  --players N            simulated players, 1 to 64 (8)
  --viewers N            simulated viewers, 0 to 64 (4)
  --no-page              without the one page in Chromium that plays beside them and is never reloaded
  --calm                 inject no faults around the browsers

What is measured:

  --measure a,b          some of growth, screens, money (all that fit who plays)
                         growth: memory, files, sockets and tables must not grow; not while faults are injected
                         screens: every screen in a browser must explain its state
                         money: the books must add up, each minute and at the end

How:

  --minutes N            how long (60)
  --seed S               repeat what players and faults choose (1)
  --machines N           simulated machines, 2 to 32 (8)
  --snapshots <folder>   write heap snapshots of platform and agent, when they are warm and at the end
  --screenshots <folder> where screenshots of findings are put (.cache/long-run)
  --help                 this text

Exit codes: 0 nothing was found, 1 it prints what was, 2 the command line is wrong.`;

const LIMITS = { minutes: 600, players: 64, viewers: 64, machines: 32 } as const;

/** Reads the command line. Returns a sentence when it cannot be carried out. */
export function readLongRun(args: readonly string[]): LongRunOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        who: { type: "string", default: "simulated" },
        minutes: { type: "string", default: "60" },
        seed: { type: "string", default: "1" },
        players: { type: "string", default: "8" },
        viewers: { type: "string", default: "4" },
        machines: { type: "string", default: "8" },
        "no-page": { type: "boolean", default: false },
        calm: { type: "boolean", default: false },
        measure: { type: "string" },
        snapshots: { type: "string" },
        screenshots: { type: "string" },
      },
    });
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= LIMITS.minutes)) return `--minutes is above 0 and at most ${LIMITS.minutes}.`;
    const { players, viewers, machines } = {
      players: Number(values.players),
      viewers: Number(values.viewers),
      machines: Number(values.machines),
    };
    if (!isWhole(players, 1, LIMITS.players)) return `--players is 1 to ${LIMITS.players}.`;
    if (!isWhole(viewers, 0, LIMITS.viewers)) return `--viewers is 0 to ${LIMITS.viewers}.`;
    if (!isWhole(machines, 2, LIMITS.machines))
      return `--machines is 2 to ${LIMITS.machines}: one of them is the page's own.`;
    if (!["simulated", "browsers", "both"].includes(values.who)) return "--who is simulated, browsers or both.";
    const browsers = values.who !== "simulated";
    const simulated = values.who === "browsers" ? null : { players, viewers, page: !values["no-page"] };
    const faults = browsers && !values.calm;
    const measures = readMeasures(values.measure, { browsers, faults });
    if (typeof measures === "string") return measures;
    const { seed, snapshots, screenshots } = values;
    return { minutes, seed, simulated, browsers, faults, measures, machines, snapshots, screenshots };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${reason}\nnpm run long-run -- --help lists the options.`;
  }
}

function readMeasures(
  given: string | undefined,
  { browsers, faults }: { readonly browsers: boolean; readonly faults: boolean },
): ReadonlySet<MeasureName> | string {
  const fits: Readonly<Record<MeasureName, boolean>> = { growth: !faults, screens: browsers, money: true };
  if (given === undefined) return new Set(MEASURES.filter((name) => fits[name]));
  const named = given.split(",");
  const measures = MEASURES.filter((name) => named.includes(name));
  if (measures.length !== named.length) return `--measure names some of ${MEASURES.join(", ")}.`;
  if (measures.includes("growth") && faults)
    return "Growth cannot be judged while programs are killed: add --calm, or leave growth out.";
  if (measures.includes("screens") && !browsers) return "Screens need players in browsers: add --who browsers.";
  return new Set(measures);
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;
