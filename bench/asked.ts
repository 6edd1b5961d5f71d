import type { Condition } from "./rig/conditions.ts";
import { CONDITIONS } from "./rig/conditions.ts";

/** What a run of the bench was asked for. */
export type Asked = {
  readonly parts: readonly string[];
  /** The ways between browser and agent to measure over. */
  readonly ways: readonly Condition[];
  /** How often each part is measured; the medians are told. */
  readonly times: number;
  /** Writes the results to bench/last-run.md. */
  readonly write: boolean;
};

const TIMES_MAX = 20;

/** Reads the words of the command line. Answers a sentence when they cannot be meant. */
export function readAsked(
  words: readonly string[],
  known: readonly string[],
  usual: readonly string[],
): Asked | string {
  const names = words.filter((word) => !word.startsWith("--"));
  const options = words.filter((word) => word.startsWith("--"));
  const unknown = [
    ...names.filter((name) => !known.includes(name)),
    ...options.filter((option) => !/^--(write|times=\d+|way=[\w-]+)$/.test(option)),
  ];
  if (unknown.length > 0) {
    return `Unknown: ${unknown.join(", ")}. There are ${known.join(", ")}, --times=5, --way=clean and --write.`;
  }
  const given = (option: string) => options.find((word) => word.startsWith(`--${option}=`))?.split("=")[1];
  const times = Number(given("times") ?? 1);
  if (times < 1 || times > TIMES_MAX) return `--times is 1 to ${TIMES_MAX}.`;
  const way = given("way");
  const ways = CONDITIONS.filter(({ id }) => way === undefined || id === way);
  if (ways.length === 0) return `There is no way ${way}: ${CONDITIONS.map(({ id }) => id).join(", ")}.`;
  const write = options.includes("--write");
  if (write && (names.length > 0 || way !== undefined)) {
    return "--write records a whole run in bench/last-run.md: leave the names of parts and ways out.";
  }
  return { parts: names.length > 0 ? names : usual, ways, times, write };
}
