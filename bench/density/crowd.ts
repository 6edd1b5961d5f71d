import { fileURLToPath } from "node:url";
import type { Venue } from "@longarm/load/visitor/venue";
import { startAsked } from "../load/ask-process.ts";
import type { Came, CrowdAsk, CrowdTells, Guest } from "./messages.ts";

const PROCESS = fileURLToPath(new URL("crowd-main.ts", import.meta.url));
/** A process has one core; so many guests take a third of it. */
const GUESTS_OF_PROCESS = 8;

/** Guests in processes of their own. */
export type Crowd = {
  play(on: boolean): Promise<void>;
  /** What came to all of them since this was asked last. */
  came(): Promise<Came>;
  /** Games end, credits leave, seats are given back. */
  go(): Promise<void>;
  /** Ends the processes at once. */
  stop(): void;
};

/** Resolves once each has a picture. @throws Error when somebody is refused or sees none. */
export async function gatherGuests(venue: Venue, guests: readonly Guest[]): Promise<Crowd> {
  // Those who watch come after whoever plays, in whatever process that is.
  const players = guests.filter(({ role }) => role === "player");
  const watchers = guests.filter(({ role }) => role === "spectator");
  const crews: Guest[][] = [players, watchers].flatMap((some) => inShares(some));
  const processes: ReturnType<typeof startProcess>[] = [];
  const stop = (): void => processes.forEach(({ end }) => void end());
  const all = async <Is extends CrowdTells["is"]>(ask: CrowdAsk, is: Is) =>
    await Promise.all(processes.map((one) => one.ask(ask, is)));
  try {
    for (const crew of crews) {
      const started = startProcess();
      processes.push(started);
      await started.ask({ is: "come", venue, guests: crew }, "here");
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    stop,
    play: async (on) => void (await all({ is: "play", on }, "told")),
    async came() {
      const told = await all({ is: "count" }, "came");
      const sum = (key: keyof Came): number => told.reduce((total, one) => total + one[key], 0);
      return { guests: sum("guests"), pictures: sum("pictures"), bytes: sum("bytes"), turning: sum("turning") };
    },
    async go() {
      // A seat that ends ends its spectators' sockets, too.
      for (const one of processes.toReversed()) await one.ask({ is: "go" }, "gone");
      stop();
    },
  };
}

function inShares(guests: readonly Guest[]): Guest[][] {
  const shares: Guest[][] = [];
  for (let at = 0; at < guests.length; at += GUESTS_OF_PROCESS) shares.push(guests.slice(at, at + GUESTS_OF_PROCESS));
  return shares;
}

const startProcess = () =>
  startAsked<CrowdAsk, CrowdTells>(
    PROCESS,
    (told) => (told.is === "failed" ? told.sentence : undefined),
    "A process of guests has ended.",
  );
