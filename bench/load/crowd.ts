import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Player } from "../../rig/player.ts";
import { signIn } from "../../rig/player.ts";
import type { Setup } from "../setup/setup.ts";

/** Sign-ins at once: each costs a hash of a password. */
const AT_ONCE = 8;

/** The id of the crowd's player of this number, from 1. */
export const crowdId = (number: number): string => `p_crowd${number}`;

/** Runs statements on the bench's own database. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

export const queryOf =
  ({ venue }: Setup): Query =>
  async (sql, values = []) =>
    (await venue.db.pool.query(sql, [...values])).rows;

/** Many players, signed in. They are copies of the first demo player under other names, made once in a venue. */
export async function gatherCrowd(setup: Setup, query: Query, size: number): Promise<Player[]> {
  const [model] = DEMO_PLAYERS;
  if (model === undefined) throw new Error("There is no demo player.");
  setup.say(`Load: ${size} players sign in`);
  await query(
    `insert into player (id, username, username_key, password, demo)
     select 'p_crowd' || n, 'crowd' || n, 'crowd' || n, password, true
     from player, generate_series(1, $2::int) n where username_key = $1 on conflict do nothing`,
    [model.username, size],
  );
  const names = Array.from({ length: size }, (_, index) => `crowd${index + 1}`);
  const players: Player[] = [];
  while (names.length > 0) {
    const some = names.splice(0, AT_ONCE).map((username) => ({ username, password: model.password }));
    players.push(...(await Promise.all(some.map((one) => signIn(setup.venue.href, one)))));
  }
  return players;
}
