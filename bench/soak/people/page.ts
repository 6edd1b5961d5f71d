import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { DEMO_PLAYERS } from "../../../launcher/seed.ts";
import type { PageHeld } from "../../figures/held.ts";
import { pageHeld } from "../../figures/held.ts";
import type { BenchPlayer } from "../../rig/player.ts";
import { openPlayer } from "../../rig/player.ts";
import type { SoakHouse } from "../soak-house.ts";

export type SoakPage = {
  held(): Promise<PageHeld>;
  /** Plays on and on, until told to stop; gets up at the end. */
  live(note: (deed: string) => void, goesOn: () => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Played out of before more is brought, minor units. */
const CREDIT_MIN = 40_000;
const SPELL_MS = 20_000;
/** So many spells at the machine, then to the lobby and back: the same page without a reload. */
const SPELLS = 3;

/** One page in a real browser that is never loaded anew, but after a failure. */
export async function openSoakPage(browser: Browser, house: SoakHouse): Promise<SoakPage> {
  const { pageMachine: machineId, pagePlayer } = house;
  const [model] = DEMO_PLAYERS;
  if (model === undefined) throw new Error("There is no demo player.");
  const turnServer = (): never => {
    throw new Error("The page goes straight to the agent.");
  };
  const player = await openPlayer({ browser, house, probe: "", turnServer }, { ...model, ...pagePlayer }, null);
  const cdp = await player.page.context().newCDPSession(player.page);
  return {
    held: () => pageHeld(cdp),
    async live(note, goesOn) {
      while (goesOn()) {
        try {
          await stay(player, machineId, { note, goesOn });
        } catch (error) {
          note(`failed: the page: ${firstLine(error)}`);
          await pause(1_000);
          await player.page.goto(`${house.href}/lobby`, { waitUntil: "commit" }).catch(() => {});
        }
      }
    },
    close: () => player.close(),
  };
}

async function stay(
  player: BenchPlayer,
  machineId: string,
  { note, goesOn }: { readonly note: (deed: string) => void; readonly goesOn: () => boolean },
): Promise<void> {
  await player.sitDown(machineId);
  note("the page sits down");
  for (let spell = 0; spell < SPELLS && goesOn(); spell += 1) {
    if ((await player.credit()) < CREDIT_MIN) await player.cashIn();
    const { presses } = await player.spinFor(SPELL_MS);
    for (let press = 0; press < presses; press += 1) note("the page presses");
  }
  await player.leave();
  note("the page leaves");
}

const firstLine = (error: unknown): string => String(error).split("\n")[0]?.slice(0, 100) ?? "";
