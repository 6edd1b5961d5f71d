import { readAmount, readWholeNumber } from "../../amount.ts";
import { BY, readBy } from "../../ask-platform.ts";
import type { Command, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import type { LoadWish } from "./load-wish.ts";

/** Beyond them one computer's network is measured and no venue. */
const MOST = { machines: 500, players: 200, viewers: 1_000 } as const;
const MINUTES_MAX = 240;
const SEED_MAX = 999_999;
/** What a run is called, and its people before their number. */
const RUN = /^load-[0-9a-f]{8}$/;
/** Where `npm start` opens. */
const HERE = "http://127.0.0.1:8080";

/** Tries a floor with people who are none. */
export const load: Command = {
  words: "load",
  about: "send simulated players and viewers to a floor and report what real ones would experience",
  more: [
    "  longarm load --machines 4 --players 4 --viewers 12 --minutes 5 --yes",
    "  longarm load --url https://floor.example --accounts people.txt --players 2 --viewers 6",
    "",
    "Each of them signs in, opens the sockets of a page and receives the machine's picture and sound over WebRTC, so run it where",
    "people are: not on the floor's own computer. Players sit down, cash in, press at a person's pace, leave and come back.",
    "",
    "Without --accounts it makes players of its own (group load) in this database, with a deposit each, and afterwards brings all",
    "their money back to the cage and bans them. With --accounts it plays with the people of the file, a line each:",
    "username:password or username:password:pin; the first are players, the next viewers, and their money stays theirs.",
    "",
    "Machines that do not say that they are simulated are not played unless --real-money is given: presses there are real games.",
    "Ctrl-C sends everybody home; a second one ends at once, and says how to clean up after it.",
    "",
    "Exit code 0 says that all money is where it belongs and that nobody was without a picture.",
  ].join("\n"),
  options: {
    machines: { type: "string", value: "<number>", about: "at most so many machines, 1 to 500 (as many as players)" },
    players: { type: "string", value: "<number>", about: "people who play, 0 to 200 (2)" },
    viewers: { type: "string", value: "<number>", about: "people who watch, 0 to 1000 (4)" },
    minutes: { type: "string", value: "<minutes>", about: "how long, 0.1 to 240 (1); going home comes on top" },
    url: { type: "string", value: "<address>", about: `the floor's address (${HERE})` },
    accounts: {
      type: "string",
      value: "<path>",
      about: "people of the floor to do it with; no database is needed then",
    },
    deposit: { type: "string", value: "<amount>", about: "what each player made here gets (500.00)" },
    "real-money": { type: "boolean", about: "also play machines that do not say that they are simulated" },
    seed: { type: "string", value: "<number>", about: "repeats the same choices, 0 to 999999 (1)" },
    "clean-up": {
      type: "boolean",
      about: "only bring home and ban what runs left behind, also one that still goes on",
    },
    run: { type: "string", value: "<name>", about: "with --clean-up: of this run alone, such as load-1a2b3c4d" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  asks: (given) =>
    given.has("clean-up")
      ? `Players of ${given.get("run") ?? "all runs, also of one that goes on now,"} lose their seats, are banned, and their money goes to the cage.`
      : `${given.get("players") ?? 2} players and ${given.get("viewers") ?? 4} viewers go to ${given.get("url") ?? HERE}, and money moves.`,
  prepareAlone(given) {
    const wish = readWish(given);
    return async (deps) => {
      const { carryOut } = await loadTool();
      return await carryOut(deps, wish);
    };
  },
};

/** The load tool is an optional package (decision 0128). @throws CommandRefused where it is not installed. */
export async function loadTool(load = () => import("./carry-out.ts")) {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CommandRefused(
      "The load tool, @longarm/load, is not installed here: install the platform with its optional packages, or run longarm load on another computer.",
      { cause: error },
    );
  }
}

function readWish(given: Given): LoadWish {
  const whole = (name: keyof typeof MOST, usual: number, least: number): number =>
    readWholeNumber(name, given.get(name)?.toString() ?? String(usual), least, MOST[name]);
  const players = whole("players", 2, 0);
  const viewers = whole("viewers", 4, 0);
  if (players + viewers === 0) throw new UsageProblem("Nobody is to go there: --players or --viewers must be above 0.");
  const accounts = given.get("accounts")?.toString();
  if (accounts !== undefined && given.has("deposit"))
    throw new UsageProblem("--deposit is for players made here: the people of --accounts play with what they have.");
  if (accounts !== undefined && given.has("clean-up"))
    throw new UsageProblem("--clean-up is for players made here, not for those of --accounts.");
  const run = given.get("run")?.toString();
  if (run !== undefined && !given.has("clean-up")) throw new UsageProblem("--run says whose people to --clean-up.");
  if (run !== undefined && !RUN.test(run))
    throw new UsageProblem(`--run must be like load-1a2b3c4d, not "${run.slice(0, 40)}".`);
  return {
    ...{ players, viewers, accounts },
    machines: whole("machines", Math.max(1, players), 1),
    durationMs: Math.round(readMinutes(given.get("minutes")?.toString() ?? "1") * 60_000),
    url: readAddress(given.get("url")?.toString() ?? HERE),
    depositMinor: readAmount("deposit", given.get("deposit")?.toString() ?? "500.00"),
    realMoney: given.has("real-money"),
    seed: readWholeNumber("seed", given.get("seed")?.toString() ?? "1", 0, SEED_MAX),
    cleanUp: given.has("clean-up"),
    run,
    by: readBy(given),
    dryRun: given.has("dry-run"),
  };
}

function readMinutes(text: string): number {
  const minutes = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= 0.1 && minutes <= MINUTES_MAX) return minutes;
  throw new UsageProblem(`--minutes must be from 0.1 to ${MINUTES_MAX}, not "${text.slice(0, 40)}".`);
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageProblem(`--url must be like https://floor.example, not "${text.slice(0, 40)}".`);
}
