import type { Life } from "./life.ts";
import { inLobby, readLobby, rest, signedIn, signOut } from "./life.ts";
import { openSeat } from "./seat.ts";

/** Looks around in the lobby, watches a machine for a while and goes; now and then two at once. */
export async function visitAsViewer(life: Life): Promise<void> {
  await readLobby(life);
  await inLobby(life, async () => {
    await rest(life, 200, 1_500);
    await Promise.all(Array.from({ length: life.chance.next() < 0.2 ? 2 : 1 }, () => watch(life)));
  });
  if (life.chance.next() < 0.1) await signOut(life);
}

async function watch(life: Life): Promise<void> {
  const { token } = await signedIn(life);
  const machineId = life.chance.pick(life.machines);
  const seat = await openSeat({ venue: life.venue, token, machineId, role: "spectator", random: life.chance.next });
  if (typeof seat === "string") return life.note(`refused to watch: ${seat}`);
  life.note("watches");
  // Some are gone before their picture comes.
  const shortly = life.chance.next() < 0.15;
  await (shortly ? rest(life, 0, 300) : rest(life, 2_000, 20_000));
  if (!seat.sees() && !shortly && !seat.closed() && life.goesOn()) life.note("failed: no picture");
  await seat.drop();
}
