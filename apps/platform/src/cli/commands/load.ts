import { AS_ROOT, CommandRefused, standaloneCommand, UsageProblem } from "../command.ts";
import { amount, DRY_RUN, flag, option, plainText, wholeNumber, withDefault } from "../fields.ts";

/** Above these one computer's network would be measured, not the venue. */
const MAX = { machines: 500, players: 200, viewers: 1_000 } as const;
const MINUTES_MAX = 240;
/** The name of a run, and the beginning of its players' names. */
const RUN = /^load-[0-9a-f]{8}$/;
/** Where `npm start` opens. */
const HERE = "http://127.0.0.1:8080";

/** Tries a floor with simulated players. */
export const load = standaloneCommand({
  name: "load",
  about: "send simulated players and viewers to a floor and report what real ones would experience",
  more: [
    '  longarm load --machines 4 --players 4 --viewers 12 --minutes 5 --as-root "a test of the network" --yes',
    "  longarm load --url https://floor.example --accounts people.txt --players 2 --viewers 6",
    "",
    "Each of them signs in, opens the sockets of a page and receives the machine's video and sound over WebRTC, so run it where",
    "players are: not on the floor's own computer. Players sit down, cash in, press at a person's pace, leave and come back.",
    "",
    "Without --accounts it makes players of its own (group load) in this database, with a deposit each, and afterwards brings all",
    "their money back to the cage and bans them. With --accounts it plays with the accounts of the file, one on each line:",
    "username:password or username:password:pin; the first are players, the next viewers, and their money stays theirs. Where players'",
    "money is in the operator's wallet (WALLET_URL), players need --accounts: no deposit is made here.",
    "",
    "Machines that do not say that they are simulated are not played unless --real-money is given: presses there are real games.",
    "Ctrl-C ends the run and sends all players home; a second one ends at once, and says how to clean up after it.",
    "",
    "Exit code 0 says that all money is where it belongs, every seat was given back, and every player and viewer received video.",
  ].join("\n"),
  options: {
    machines: option(
      "<number>",
      "at most so many machines, 1 to 500 (as many as players)",
      wholeNumber(1, MAX.machines),
    ),
    players: withDefault("<number>", "simulated players, 0 to 200 (2)", "2", wholeNumber(0, MAX.players)),
    viewers: withDefault("<number>", "simulated viewers, 0 to 1000 (4)", "4", wholeNumber(0, MAX.viewers)),
    minutes: withDefault("<minutes>", "how long, 0.1 to 240 (1); leaving the machines comes on top", "1", minutes),
    url: withDefault("<address>", `the floor's address (${HERE})`, HERE, httpAddress),
    accounts: option("<path>", "accounts of the floor to do it with; no database is needed then", plainText),
    deposit: withDefault("<amount>", "what each player that the tool adds gets (500.00)", "500.00", amount),
    realMoney: flag("also play machines that do not say that they are simulated"),
    seed: withDefault("<number>", "repeats the same choices, 0 to 999999 (1)", "1", wholeNumber(0, 999_999)),
    cleanUp: flag("only send home and ban players that earlier runs left behind, also those of a run that still runs"),
    run: option("<name>", "with --clean-up: of this run alone, such as load-1a2b3c4d", runName),
    asRoot: AS_ROOT,
    dryRun: DRY_RUN,
  },
  check({ players, viewers, accounts, cleanUp, run, asRoot, dryRun }, given) {
    if (accounts === undefined && asRoot === undefined && !dryRun)
      throw new UsageProblem("Players made here are money moved without a sign-in: say why with --as-root.");
    if (players + viewers === 0)
      throw new UsageProblem("There is nothing to simulate: --players or --viewers must be above 0.");
    if (accounts !== undefined && given.has("deposit"))
      throw new UsageProblem("--deposit is for players made here: those of --accounts play with what they have.");
    if (accounts !== undefined && cleanUp)
      throw new UsageProblem("--clean-up is for players made here, not for those of --accounts.");
    if (run !== undefined && !cleanUp) throw new UsageProblem("--run says whose players to --clean-up.");
  },
  confirm: ({ cleanUp, run, players, viewers, url }) =>
    cleanUp
      ? `Players of ${run ?? "all runs, also of one that runs now,"} lose their seats, are banned, and their money goes to the cage.`
      : `${players} players and ${viewers} viewers go to ${url}, and money moves.`,
  async run(deps, { machines, minutes: minuteCount, deposit, ...input }) {
    const { runLoadCommand } = await loadTool();
    return await runLoadCommand(deps, {
      ...input,
      machines: machines ?? Math.max(1, input.players),
      durationMs: Math.round(minuteCount * 60_000),
      depositMinor: deposit,
    });
  },
});

/** The load tool is an optional package (decision 0128). @throws CommandRefused where it is not installed. */
export async function loadTool(load = () => import("./load-run.ts")) {
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

function minutes(text: string, label: string): number {
  const value = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0.1 && value <= MINUTES_MAX) return value;
  throw new UsageProblem(`${label} must be from 0.1 to ${MINUTES_MAX}, not "${text.slice(0, 40)}".`);
}

function httpAddress(text: string, label: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageProblem(`${label} must be like https://floor.example, not "${text.slice(0, 40)}".`);
}

function runName(text: string, label: string): string {
  if (RUN.test(text)) return text;
  throw new UsageProblem(`${label} must be like load-1a2b3c4d, not "${text.slice(0, 40)}".`);
}
