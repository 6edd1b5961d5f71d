import { parseArgs } from "node:util";
import type { Variable } from "@longarm/link/environment";
import { isLoopback, wholeNumber } from "@longarm/link/environment";

/** What `npm start -- …` understands. */
export type Options = {
  /** Address to listen on. */
  readonly host: string;
  /** TCP port of the web and the API; 0 takes a free one. */
  readonly portNumber: number;
  /** TCP port of the staff's console; 0 takes a free one. */
  readonly staffPort: number;
  /** Where everything lives that must survive. */
  readonly dataFolder: string;
  /** Simulated machines on the floor, 1 to 32. */
  readonly machines: number;
  /** So many of them are run by a program of their own that speaks SAS, and driven as real ones. */
  readonly cabinets: number;
  /** Repeats the same games on every fresh floor; absent: the games are not predictable. */
  readonly seed: string | undefined;
  /** Draws the time of capture into the video, for measurements. */
  readonly timeCode: boolean;
  /** Demo players on an address that others can reach. */
  readonly demo: boolean;
  /** Fourteen days of history on a floor that begins, so that the console has something to show. */
  readonly sampleDays: boolean;
  /** Uses the web as it was built last. */
  readonly build: boolean;
  /** Shows the log of platform and agent here instead of in files. */
  readonly verbose: boolean;
};

export const HELP = `Longarm: play slot machines from the browser.

  npm start                       start everything on this computer and print an address and a player
  npm start -- --port 9000        listen on another port (8080)
  npm start -- --staff-port 9001  the staff's console on another port (one above the other port)
  npm start -- --host 0.0.0.0     listen on an address that others can reach; needs --demo for the demo players
  npm start -- --data ./floor     keep wallets, history and machines in another folder (./data)
  npm start -- --machines 4       simulated machines on the floor, 1 to 32 (12)
  npm start -- --cabinets 2       drive so many of the machines over SAS, each as a simulated cabinet of its own (0)
  npm start -- --seed 7           repeat the same games on a fresh floor
  npm start -- --demo             allow the demo players on an address that others can reach
  npm start -- --no-sample-days   begin a fresh floor without 14 days of history to look at in the console
  npm start -- --time-code        draw the time of capture into the video, for measurements
  npm start -- --no-build         do not check whether the web must be built again
  npm start -- --verbose          show the log here (else data/logs)
  npm start -- --help             this text

DATABASE_URL names a PostgreSQL of your own (15 or newer); without it one is run in the data folder.
Every setting of the platform and of the agent is in docs/operating/settings.md.
`;

/** The command line is wrong: one sentence that says what to do. */
export class OptionProblem extends Error {
  override readonly name = "OptionProblem";
}

/** Reads the command line. Throws `OptionProblem`. */
export function readOptions(args: readonly string[]): Options | "help" {
  const { values } = parse(args);
  if (values.help) return "help";
  const host = values.host ?? "127.0.0.1";
  const portNumber = numberOption("--port", values.port, wholeNumber(0, 65_535, 8080));
  const nextPort = portNumber === 0 || portNumber === 65_535 ? 0 : portNumber + 1;
  const options: Options = {
    host,
    portNumber,
    staffPort: numberOption("--staff-port", values["staff-port"], wholeNumber(0, 65_535, nextPort)),
    dataFolder: values.data ?? "data",
    machines: numberOption("--machines", values.machines, wholeNumber(1, 32, 12)),
    cabinets: numberOption("--cabinets", values.cabinets, wholeNumber(0, 32, 0)),
    seed: values.seed,
    timeCode: values["time-code"] ?? false,
    demo: values.demo ?? false,
    sampleDays: !(values["no-sample-days"] ?? false),
    build: !(values["no-build"] ?? false),
    verbose: values.verbose ?? false,
  };
  if (!isLoopback(host) && !options.demo) {
    throw new OptionProblem(
      `${host} can be reached by others, and the demo players' password is public: add --demo if that is what you want.`,
    );
  }
  if (options.cabinets > options.machines) {
    throw new OptionProblem(
      `--cabinets ${options.cabinets} is more than the floor has machines: use ${options.machines} at most, or a larger --machines.`,
    );
  }
  return options;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        host: { type: "string" },
        port: { type: "string" },
        "staff-port": { type: "string" },
        data: { type: "string" },
        machines: { type: "string" },
        cabinets: { type: "string" },
        seed: { type: "string" },
        demo: { type: "boolean" },
        "no-sample-days": { type: "boolean" },
        "time-code": { type: "boolean" },
        "no-build": { type: "boolean" },
        verbose: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new OptionProblem(
      `${error instanceof Error ? error.message : String(error)} (npm start -- --help lists the options)`,
      { cause: error },
    );
  }
}

function numberOption(name: string, text: string | undefined, { parse, must, fallback }: Variable<number>): number {
  const value = text === undefined ? fallback : parse(text);
  if (value !== undefined) return value;
  throw new OptionProblem(`${name} ${must}, not "${text}".`);
}
