import { SOUND } from "../world/cabinet.ts";
import { CALM } from "../world/wire.ts";
import type { World } from "../world/world.ts";
import { Breach } from "./standing.ts";

const ROUNDS_MAX = 60;
const ROUND_MS = 5_000;
/** From then on staff ends what does not end by itself (a bonus that waits for its player calls for staff). */
const STAFF_ROUND = 6;

/** Mends everything, and waits until all is decided and free, by the house's own work and what staff has to do. */
export async function comeToRest(world: World): Promise<void> {
  mend(world);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // Frames that were lost are told again with the next hello, as after every real loss.
    if (round === 1 || round === 20) for (const box of world.boxes) box.cutLink();
    await staff(world, round);
    await world.schedule.pass(ROUND_MS);
    if ((await unrest(world)).length === 0) return;
  }
  const agents = world.boxes.map(({ name, life, agent, lastWords }) =>
    agent?.linked() === true ? "" : `${name} is ${life.dead ? "dead" : (agent?.state() ?? "starting")}: ${lastWords}\n`,
  );
  throw new Breach(
    `${agents.join("")}after ${(ROUNDS_MAX * ROUND_MS) / 1000} s of quiet: ${(await unrest(world)).join("; ")}`,
  );
}

function mend(world: World): void {
  world.dooms.clear();
  world.cable = SOUND;
  world.gate.slowMs = () => world.chance.next() * 1.5;
  for (const box of world.boxes) {
    box.weather = CALM;
    box.diskFull(false);
  }
  for (const visitor of world.visitors) {
    visitor.weather = CALM;
    visitor.drop();
  }
}

async function staff(world: World, round: number): Promise<void> {
  const { play } = world.node;
  for (const cabinet of world.cabinets) {
    cabinet.lineCut = false;
    const { machine } = cabinet;
    const state = machine?.state();
    if (machine === undefined || state === undefined) continue;
    if (state.doorOpen) machine.faults.closeDoor().catch(world.schedule.fail);
    if (state.tilt !== null) machine.faults.clearTilt().catch(world.schedule.fail);
    const handPayId = state.handPay?.id;
    if (handPayId !== undefined && world.node.ready)
      play?.confirmHandPay({ machineId: cabinet.id, handPayId, staff: "proof" }).catch(() => undefined);
  }
  if (round >= STAFF_ROUND && world.node.ready)
    for (const { playerId } of world.visitors) play?.endSessionsOf(playerId, "house").catch(() => undefined);
}

/** What is not decided, free or empty yet. */
async function unrest(world: World): Promise<string[]> {
  if (!world.node.ready || !world.gate.idle) return ["the platform is busy"];
  const ids = world.cabinets.map(({ id }) => id);
  const seats = await world.gate.read<{ id: string; state: string }>(
    `select s.machine_id as id, s.state from seat s join machine m on m.id = s.machine_id
     where s.machine_id = any($1) and s.state <> 'free'`,
    [ids],
  );
  const open = await world.gate.read<{ id: string; state: string }>(
    "select id, state from machine_transfer where machine_id = any($1) and state in ('asking', 'unknown')",
    [ids],
  );
  const busy = world.cabinets.flatMap(({ id, machine }) => {
    const state = machine?.state();
    if (state === undefined) return [`${id} has no power`];
    const calm = state.game === null && state.handPay === null && state.credit === 0;
    return calm
      ? []
      : [`${id} has ${state.credit} credits${state.game ? ", a game" : ""}${state.handPay ? ", a hand pay" : ""}`];
  });
  return [
    ...seats.map(({ id, state }) => `the seat of ${id} is ${state}`),
    ...open.map(({ id, state }) => `the transfer ${id} is ${state}`),
    ...busy,
  ];
}
