import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { COMMANDS } from "../cli/commands.ts";
import { runCommandLine } from "../cli/run.ts";
import { systemRandom } from "../random.ts";
import type { PlayVenue } from "./play-venue.ts";

export type Typed = {
  readonly environment: Readonly<Record<string, string>>;
  /** What is typed where nothing is shown. */
  readonly secret?: string;
  /** Somebody is at the keyboard and answers every question so. */
  readonly answer?: string;
  /** The folder of this user's settings: where a sign-in is kept. */
  readonly configFolder?: string;
  /** Acts as the person who is signed in. Absent: a command that acts does so as root, without saying so in each test. */
  readonly signedIn?: true;
  /** Receives each line at once. */
  readonly say?: (line: string) => void;
  /** Waits between two polls of a sign-in. */
  readonly pause?: (ms: number) => Promise<void>;
  /** How long the platform may take to begin what it is asked, ms. */
  readonly beginWithinMs?: number;
};

/** Runs `longarm` with these words, as the process does. */
export async function longarm(args: readonly string[], typed: Typed) {
  const { environment, secret, answer, beginWithinMs } = typed;
  const said: string[] = [];
  const complained: string[] = [];
  const asked: string[] = [];
  const note = (question: string): void => void asked.push(question);
  const code = await runCommandLine(typed.signedIn ? args : asRoot(args), {
    environment,
    random: systemRandom,
    pause: typed.pause ?? ((ms) => pause(ms)),
    staff: "ayse",
    computer: "hall-1",
    configFolder: typed.configFolder ?? join(tmpdir(), "longarm-no-sign-in"),
    say: (line) => {
      said.push(line);
      typed.say?.(line);
    },
    complain: (line) => void complained.push(line),
    secret: async (question) => {
      note(question);
      return secret ?? "";
    },
    ...(beginWithinMs !== undefined && { beginWithinMs }),
    ...(answer !== undefined && {
      ask: async (question: string) => {
        note(question);
        return answer;
      },
    }),
  });
  return { code, said: said.join("\n"), complained: complained.join("\n"), asked };
}

/** The same words with `--as-root`, where the command acts and they do not say so themselves. */
function asRoot(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => arg.startsWith("-"));
  const words = args.slice(0, first === -1 ? args.length : first).join(" ");
  const command = COMMANDS.find(({ name }) => `${words} `.startsWith(`${name} `));
  const says = args.some((arg) => /^(--as-root\b|--help$|-h$)/.test(arg));
  return command?.options["asRoot"] === undefined || says ? args : [...args, "--as-root", "a test"];
}

/** Runs `longarm` on the database of a venue, for as long as its platform may need to begin. */
export const longarmOf =
  (venue: Pick<PlayVenue, "database">, more: Partial<Typed> = {}) =>
  (...args: string[]) =>
    longarm(args, { environment: { DATABASE_URL: venue.database.url }, beginWithinMs: 60_000, ...more });
