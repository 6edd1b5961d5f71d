import type pg from "pg";
import { openWorld } from "../world/open-world.ts";
import type { Plant, World } from "../world/world.ts";
import type { Row } from "./books.ts";
import { checkBooks } from "./books.ts";
import type { Deed } from "./deeds.ts";
import { happen } from "./happen.ts";
import { hopesFor, postsTwice } from "./plants.ts";
import { comeToRest } from "./rest.ts";
import { Breach, checkStanding } from "./standing.ts";

export type StoryRoom = {
  readonly client: pg.Client;
  readonly tag: string;
  readonly chance: number;
  readonly plant?: Plant | undefined;
  /** The identity of machines and ledger is checked each so many deeds. */
  readonly checkEvery: number;
};

export type StoryEnd = { readonly rows: readonly Row[]; readonly world: World };

const AGENTS = 3;
const MACHINES_OF_AGENT = 4;

/** Lives through one story and checks everything. @throws Breach when something that must hold does not. */
export async function runStory(room: StoryRoom, deeds: readonly Deed[]): Promise<StoryEnd> {
  const world = await openWorld({
    client: room.client,
    tag: room.tag,
    seed: room.chance,
    agents: AGENTS,
    machinesOfAgent: MACHINES_OF_AGENT,
    forgetful: room.plant === "forgetfulAgent",
    ...(room.plant === "holdTwice" && { ledger: postsTwice }),
    ...(room.plant === "hopefulCashOut" && { agentSocket: hopesFor }),
  });
  try {
    for (const [at, deed] of deeds.entries()) {
      await happen(world, deed);
      if (at % room.checkEvery === 0) await checkStanding(world);
    }
    await comeToRest(world);
    await checkStanding(world);
    return { rows: await checkBooks(world), world };
  } catch (error) {
    if (error instanceof Breach) error.message += `\n  the platform's log:\n    ${world.log.slice(-12).join("    ")}`;
    throw error;
  } finally {
    await world.end();
  }
}
