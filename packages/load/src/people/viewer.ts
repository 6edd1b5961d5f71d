import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { SignedIn } from "../account.ts";
import { openNotifications } from "../account.ts";
import type { Assignment, Surroundings } from "./person.ts";
import { Attendance, between, countError, enter, rest, seeded } from "./person.ts";
import { count, time } from "./tally.ts";

/** When no machine is played, or none may be watched, the viewer looks again after so long, ms. */
const AGAIN_MS = [1_000, 2_500] as const;
const LOOK_MS = 500;

/** Somebody who watches others play until the run is to end. @throws PersonProblem. */
export async function watch(around: Surroundings, assignment: Assignment): Promise<void> {
  const random = seeded(assignment.seed);
  await rest(around, between(random, 0, 1_500));
  const me = await enter(around, assignment.account);
  if (me === undefined) return;
  const closeNotifications = openNotifications(around.venue, me, { timers: around.timers, random });
  try {
    for (let from = assignment.first; !around.finish.aborted; from += 1) {
      const machine = await playedMachine(around, me, assignment, from);
      if (machine !== undefined) await watchOne(around, me, machine, random);
      await rest(around, between(random, ...AGAIN_MS));
    }
  } finally {
    closeNotifications();
    await me.signOut().catch((error: unknown) => countError(around.tally(), "sign-out", error));
  }
}

/** The lobby, as the person sees it now; undefined when it cannot be had. */
export async function lobby(around: Surroundings, me: SignedIn): Promise<readonly LobbyMachine[] | undefined> {
  const from = around.now();
  try {
    const machines = await me.machines();
    time(around.tally(), "lobby", around.now() - from);
    return machines;
  } catch (error) {
    countError(around.tally(), "lobby", error);
    return undefined;
  }
}

/** One that somebody plays, from the person's own on: so the watchers spread over them. */
async function playedMachine(around: Surroundings, me: SignedIn, { machines }: Assignment, from: number) {
  const found = await lobby(around, me);
  const inOrder = machines.map((_, index) => machines[(from + index) % machines.length]);
  const played = inOrder.flatMap((id) => found?.filter((one) => one.id === id) ?? []);
  const machine = played.find(({ status }) => status === MACHINE_STATUS.playing);
  if (machine === undefined && found !== undefined) count(around.tally(), "waits: nobody plays");
  return machine;
}

async function watchOne(
  around: Surroundings,
  me: SignedIn,
  machine: LobbyMachine,
  random: () => number,
): Promise<void> {
  const goal = { me, machineId: machine.id, url: machine.url, role: "spectator" as const, random };
  const attendance = new Attendance(around, goal);
  try {
    const begun = await attendance.begun();
    if (begun.is === "late") count(around.tally(), "no answer to init");
    while (begun.is === "here" && !attendance.over && !around.finish.aborted) await rest(around, LOOK_MS);
  } finally {
    await attendance.end();
  }
}
