import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { PageHeld } from "../../rig/process.ts";
import { pageHeld } from "../../rig/process.ts";
import type { Venue, VenuePlayer } from "../../rig/venue/venue.ts";
import type { BenchPlayer } from "../setup/page-player.ts";
import { openPlayer } from "../setup/page-player.ts";

/** One page in a browser that is never reloaded, except after a failure: what it holds must not grow. */
export type SteadyPage = {
  held(): Promise<PageHeld>;
  /** Plays for the length of the run, and leaves at the end. */
  live(note: (deed: string) => void, isRunning: () => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Played out of before more is brought, minor units. */
const CREDIT_MIN = 40_000;
const SPELL_MS = 20_000;
/** So many spells at the machine, then to the lobby and back: the same page without a reload. */
const SPELLS = 3;

export async function openSteadyPage(
  browser: Browser,
  venue: Venue,
  machineId: string,
  account: VenuePlayer,
): Promise<SteadyPage> {
  const player = await openPlayer({ browser, venue, probe: "" }, account, null);
  const cdp = await player.page.context().newCDPSession(player.page);
  let closing: Promise<void> | undefined;
  return {
    held: () => pageHeld(cdp),
    async live(note, isRunning) {
      while (isRunning()) {
        try {
          await stay(player, machineId, { note, isRunning });
        } catch (error) {
          note(`failed: the page: ${String(error).split("\n")[0]?.slice(0, 100)}`);
          await pause(1_000);
          await player.page.goto(`${venue.href}/lobby`, { waitUntil: "commit" }).catch(() => {});
        }
      }
    },
    close() {
      closing ??= player.close();
      return closing;
    },
  };
}

async function stay(
  player: BenchPlayer,
  machineId: string,
  { note, isRunning }: { readonly note: (deed: string) => void; readonly isRunning: () => boolean },
): Promise<void> {
  await player.sitDown(machineId);
  note("the page sits down");
  for (let spell = 0; spell < SPELLS && isRunning(); spell += 1) {
    if ((await player.credit()) < CREDIT_MIN) await player.cashIn();
    const { presses } = await player.spinFor(SPELL_MS);
    for (let press = 0; press < presses; press += 1) note("the page presses");
  }
  await player.leave();
  note("the page leaves");
}
