import { setTimeout as pause } from "node:timers/promises";
import { runCommandLine } from "../cli/run.ts";
import { systemRandom } from "../random.ts";
import type { PlayVenue } from "./play-venue.ts";

export type Typed = {
  readonly environment: Readonly<Record<string, string>>;
  /** What is typed where nothing is shown. */
  readonly secret?: string;
  /** Somebody is at the keyboard and answers every question so. */
  readonly answer?: string;
  /** How long the platform may take to begin what it is asked, ms. */
  readonly beginWithinMs?: number;
};

/** Runs `longarm` with these words, as the process does. */
export async function longarm(args: readonly string[], { environment, secret, answer, beginWithinMs }: Typed) {
  const said: string[] = [];
  const complained: string[] = [];
  const asked: string[] = [];
  const note = (question: string): void => void asked.push(question);
  const code = await runCommandLine(args, {
    environment,
    random: systemRandom,
    pause: (ms) => pause(ms),
    staff: "ayse",
    say: (line) => void said.push(line),
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

/** Runs `longarm` on the database of a venue, for as long as its platform may need to begin. */
export const longarmOf =
  (venue: Pick<PlayVenue, "database">, more: Partial<Typed> = {}) =>
  (...args: string[]) =>
    longarm(args, { environment: { DATABASE_URL: venue.database.url }, beginWithinMs: 60_000, ...more });
