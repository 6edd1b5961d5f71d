import type { MediaPath } from "../rig/faults/media-path.ts";
import { LOSSY, NARROW } from "../rig/faults/udp-relay.ts";

/** A way between browser and agent. */
export type Condition = {
  /** Its name on the command line. */
  readonly id: "clean" | "lossy" | "narrow" | "tcp" | "turn-udp" | "turn-tcp";
  readonly name: string;
  /** Null: straight. */
  readonly damage: MediaPath | null;
  /** Through a TURN server and by no other way; how the page reaches that server. */
  readonly turn?: "udp" | "tcp";
};

const CLEAN_WAY: Condition = { id: "clean", name: "clean", damage: null };
export const LOSSY_WAY: Condition = { id: "lossy", name: "3 % loss, 40 ms each way", damage: LOSSY };
export const NARROW_WAY: Condition = { id: "narrow", name: "1.5 Mbit/s, 20 ms each way", damage: NARROW };

/** Every way that can be chosen. */
const CONDITIONS: readonly Condition[] = [
  CLEAN_WAY,
  LOSSY_WAY,
  NARROW_WAY,
  { id: "tcp", name: "TCP, no UDP", damage: "tcp only" },
  { id: "turn-udp", name: "TURN over UDP", damage: null, turn: "udp" },
  { id: "turn-tcp", name: "TURN over TCP", damage: null, turn: "tcp" },
];

/** Options of a run of the bench. */
export type BenchOptions = {
  readonly parts: readonly string[];
  /** The ways between browser and agent to measure over. */
  readonly ways: readonly Condition[];
  /** How often each part is measured; the medians are reported. */
  readonly times: number;
  /** Writes the results to bench/last-run.md. */
  readonly write: boolean;
};

const TIMES_MAX = 20;

/** What each part measures that a whole run includes. */
export const USUAL_PARTS = {
  "first-frame": "the time from the click on a machine to its first frame, on four network paths",
  latency: "glass to glass and press to visible change, by stage, on six network paths, beside Janus",
  freezes: "freezes, frame rate and used bitrate on a lossy and on a narrow path",
  link: "use of a narrow link and fairness beside a download and a second viewer, in virtual time",
  narrow: "use of a narrow link in Chromium, by a picture for which no rate is enough",
  cut: "the time until frames are shown again after a link was cut",
  showing: "delay and evenness of frames over a path with jitter, shown at once and evenly",
  drawing: "what the browser does to draw one frame of the game page, beside its video alone",
  density: "processor time and memory of an agent with 1 to 16 watched machines and 1 to 14 viewers",
  sas: "machines over SAS: poll cadence, press to game, transfers, and processor time, with four watched cabinets",
  balance: "balances per second over HTTP, beside a bare Fastify",
  transfers: "bonuses paid per second over HTTP, beside pgbench",
  queue: "10,000 players wait for 600 machines: a join, and a call after another was let pass",
  recording:
    "what a record of play costs: processor time beside the same without it, disk, and the time until a clip is here",
  "start-up": "the start of the platform, and of everything by npm start",
  "sockets-short": "the time until 1,000 sockets receive a machine's change",
  load: "what longarm load reports of a small floor",
  lobby: "frames and long tasks of the lobby under 200 status changes a second",
  "web-start": "the first and a repeated visit to login and lobby on a slow phone",
  "web-inputs": "the time from an input to the next frame on a slow phone",
  "web-memory": "what the page holds after a minute",
  "console-start": "what the console fetches, and how soon it shows the floor",
  "console-wall": "frames of a console's floor of 200 stills that is scrolled",
  lighthouse: "Lighthouse's scores of login and lobby",
  soak: "six minutes of simulated players: what grows, and whether the money adds up",
  history: "histories of a million rows, beside ten thousand",
  reports: "reports of a year with a million games of 200 machines",
} as const;

/** What each part measures that runs only when it is named. */
export const NAMED_PARTS = {
  sockets: "as sockets-short, with 5,000 sockets",
  "history-10m": "as history, with ten million rows; 15 GB of temporary files",
  endurance: "what page and agent hold after ten minutes of play",
  "latency-long": "as latency, 40 s on each path",
  loss: "delay, gaps and bits at 0, 1, 3 and 5 % loss over three round trips, and in bursts, beside Janus",
  crowd:
    "an agent's processor time and uplink with 10 and with 40 watchers at a media server, and how soon one joins there",
  "console-open": "ten minutes of a console on a floor of 200 machines: memory and share of a core",
  "web-memory-long": "as web-memory, ten minutes",
} as const;

const listed = (parts: Readonly<Record<string, string>>): string =>
  Object.entries(parts)
    .map(([name, about]) => `  ${name.padEnd(16)} ${about}`)
    .join("\n");

export const BENCH_HELP = `npm run bench -- [part …] [options]: measure, and print one table. Without a part, every usual part runs once.

  --times=N        measure each part N times (1 to ${TIMES_MAX}) and print the medians
  --way=<path>     only these network paths, with commas between them: ${CONDITIONS.map(({ id }) => id).join(", ")}
  --write          record a whole run in bench/last-run.md
  --help           this text

Usual parts:

${listed(USUAL_PARTS)}

Parts that run only when named:

${listed(NAMED_PARTS)}`;

/** Reads the words of the command line. Answers a sentence when they cannot be meant. */
export function readOptions(
  words: readonly string[],
  known: readonly string[],
  usual: readonly string[],
): BenchOptions | string {
  const names = words.filter((word) => !word.startsWith("--"));
  const options = words.filter((word) => word.startsWith("--"));
  const unknown = [
    ...names.filter((name) => !known.includes(name)),
    ...options.filter((option) => !/^--(write|times=\d+|way=[\w,-]+)$/.test(option)),
  ];
  if (unknown.length > 0) {
    return `Unknown: ${unknown.join(", ")}. There are ${known.join(", ")}, --times=5, --way=clean and --write.`;
  }
  const given = (option: string) => options.find((word) => word.startsWith(`--${option}=`))?.split("=")[1];
  const times = Number(given("times") ?? 1);
  if (times < 1 || times > TIMES_MAX) return `--times is 1 to ${TIMES_MAX}.`;
  const wanted = given("way")?.split(",");
  const strange = wanted?.find((way) => !CONDITIONS.some(({ id }) => id === way));
  if (strange !== undefined) return `There is no way ${strange}: ${CONDITIONS.map(({ id }) => id).join(", ")}.`;
  const ways = CONDITIONS.filter(({ id }) => wanted?.includes(id) ?? true);
  const write = options.includes("--write");
  if (write && (names.length > 0 || wanted !== undefined)) {
    return "--write records a whole run in bench/last-run.md: leave the names of parts and ways out.";
  }
  return { parts: names.length > 0 ? names : usual, ways, times, write };
}
