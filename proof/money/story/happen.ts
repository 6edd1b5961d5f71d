import { stakeOf } from "../../../apps/agent/src/drivers/simulated/panel.ts";
import type { AgentBox } from "../world/agent-box.ts";
import type { Cabinet, Cable } from "../world/cabinet.ts";
import { SOUND } from "../world/cabinet.ts";
import type { Visitor } from "../world/visitor.ts";
import type { Weather } from "../world/wire.ts";
import { CALM } from "../world/wire.ts";
import type { World } from "../world/world.ts";
import type { Deed, Happening } from "./deeds.ts";

const WEATHERS: Readonly<Record<string, Weather>> = {
  calm: CALM,
  lossy: { lost: 0.12, doubled: 0, reordered: 0, late: 0, lateMs: 0 },
  doubling: { lost: 0, doubled: 0.25, reordered: 0.25, late: 0, lateMs: 0 },
  mixed: { lost: 0.05, doubled: 0.1, reordered: 0.1, late: 0.03, lateMs: 2_000 },
  late: { lost: 0.02, doubled: 0.1, reordered: 0, late: 0.12, lateMs: 18_000 },
};

const CABLES: Readonly<Record<string, Cable>> = {
  sound: SOUND,
  deaf: { unheard: 0.1, unanswered: 0, slow: 0, slowMs: 0 },
  mute: { unheard: 0, unanswered: 0.1, slow: 0, slowMs: 0 },
  slow: { unheard: 0, unanswered: 0, slow: 0.1, slowMs: 9_000 },
};

/** Lets a deed happen; what it starts goes on by itself. */
export async function happen(world: World, deed: Deed): Promise<void> {
  if (deed.do === "quiet") return await world.schedule.pass(deed.ms + deed.gapMs);
  const act = ACTS[deed.do] as (world: World, deed: Deed) => unknown;
  // Nobody waits for an answer here: the story goes on whatever becomes of it.
  Promise.resolve(act(world, deed)).catch(world.schedule.fail);
  await world.schedule.pass(deed.gapMs);
}

type Acts = {
  readonly [Name in Exclude<Happening["do"], "quiet">]: (
    world: World,
    deed: Extract<Happening, { do: Name }>,
  ) => unknown;
};

const visitorOf = (world: World, who: number): Visitor => world.visitors[who % world.visitors.length]!;
const cabinetOf = (world: World, at: number): Cabinet => world.cabinets[at % world.cabinets.length]!;
const boxOf = (world: World, at: number): AgentBox => world.boxes[at % world.boxes.length]!;

/** Every player has a machine of their own to go to; nobody is kept from another one. */
function homeOf(world: World, who: number): string {
  return cabinetOf(world, who % world.visitors.length).id;
}

async function seated(world: World, who: number): Promise<Visitor | undefined> {
  const visitor = visitorOf(world, who);
  if (visitor.seat !== undefined || (await visitor.sit(homeOf(world, who)))) return visitor;
  return undefined;
}

/** A key of the panel, over the data channel: the agent hears it without the platform. */
function press(world: World, visitor: Visitor, button: string): void {
  const machineId = visitor.seat?.machineId ?? "";
  const state = world.cabinetOf(machineId)?.machine?.state();
  const stake = state && button === "spin" ? stakeOf(state.band, state.step) : undefined;
  const pressed = visitor.press(button, stake, world.schedule.now());
  const gate = world.boxOf(machineId)?.agent?.machine(machineId)?.opened()?.gate;
  if (pressed !== undefined) void gate?.frame(Buffer.from(JSON.stringify(pressed)), pressed.epoch);
}

/** The platform's doors for players and staff that are no socket. A platform that dies with a call says nothing more. */
function door(world: World, run: (play: NonNullable<World["node"]["play"]>) => Promise<unknown>): void {
  const { play } = world.node;
  if (world.node.ready && play !== undefined) run(play).catch(() => undefined);
}

function dieAtStep(world: World, box: AgentBox, step: string, share: number): void {
  world.dooms.stepAt(box.name, step, () => {
    world.count("agent killed at a step");
    box.kill(share);
  });
}

const player: Pick<Acts, "cashIn" | "cashOut" | "repeat" | "spin" | "spinOver" | "panel" | "stay" | "leave" | "drop"> =
  {
    cashIn: async (world, { who, amount }) => await (await seated(world, who))?.money("cashIn", amount),
    cashOut: (world, { who, amount }) => visitorOf(world, who).money("cashOut", amount),
    repeat: (world, { who, back }) => visitorOf(world, who).repeat(back),
    spin: (world, { who, times }) => {
      const visitor = visitorOf(world, who);
      for (let turn = 0; turn < times; turn += 1)
        world.schedule.after(turn * 135, () => {
          if (visitor.seat !== undefined) press(world, visitor, "spin");
        });
    },
    spinOver: async (world, { who }) => {
      const visitor = visitorOf(world, who);
      const state = world.cabinetOf(visitor.seat?.machineId ?? "")?.machine?.state();
      const pressed = state && visitor.press("spin", stakeOf(state.band, state.step), world.schedule.now());
      if (pressed !== undefined) await visitor.pressOver(pressed);
    },
    panel: (world, { who, button }) => {
      const visitor = visitorOf(world, who);
      if (visitor.seat !== undefined) press(world, visitor, button);
    },
    stay: (world, { who }) => visitorOf(world, who).stay(),
    leave: (world, { who }) => visitorOf(world, who).leave(),
    drop: (world, { who }) => visitorOf(world, who).drop(),
  };

const seat: Pick<Acts, "reload" | "move" | "cancel" | "kick" | "ban" | "house"> = {
  reload: (world, { who }) => visitorOf(world, who).sit(visitorOf(world, who).seat?.machineId ?? homeOf(world, who)),
  move: (world, { who, to }) => visitorOf(world, who).sit(cabinetOf(world, to).id),
  cancel: (world, { who }) => {
    const { playerId, seat: held } = visitorOf(world, who);
    return world.node.call("/v1/player/cancel", playerId, { machineId: held?.machineId ?? homeOf(world, who) });
  },
  kick: (world, { who }) => {
    const { playerId, seat: held } = visitorOf(world, who);
    return world.node.call("/v1/player/kick", playerId, { machineId: held?.machineId ?? homeOf(world, who) });
  },
  ban: (world, { who }) => {
    const { playerId } = visitorOf(world, who);
    if (world.node.ready) world.node.bus?.publish("auth.ended", { jti: playerId, playerId, reason: "banned" } as never);
  },
  house: (world, { who }) =>
    door(world, (play) => play.sessions.endSessionsOf(visitorOf(world, who).playerId, "house")),
};

const venue: Pick<Acts, "wish" | "confirm" | "door" | "tilt" | "line" | "power" | "powerAtDisk"> = {
  wish: (world, { at, wish }) => cabinetOf(world, at).machine?.wish(wish),
  confirm: (world, { at }) => {
    const { id, machine } = cabinetOf(world, at);
    const handPayId = machine?.state().handPay?.id;
    if (handPayId !== undefined)
      door(world, (play) => play.sessions.confirmHandPay({ machineId: id, handPayId, staff: "proof" }));
  },
  door: (world, { at, open }) => {
    const faults = cabinetOf(world, at).machine?.faults;
    void (open ? faults?.openDoor() : faults?.closeDoor())?.catch(() => undefined);
  },
  tilt: (world, { at, on }) => {
    const faults = cabinetOf(world, at).machine?.faults;
    void (on ? faults?.tilt("proof") : faults?.clearTilt())?.catch(() => undefined);
  },
  line: (world, { at, cut }) => {
    cabinetOf(world, at).lineCut = cut;
    if (cut) world.count("machine's line cut");
  },
  power: (world, { at }) => {
    world.count("machine without power");
    cabinetOf(world, at).cutPower();
  },
  powerAtDisk: (world, { at, after }) => {
    const cabinet = cabinetOf(world, at);
    world.dooms.diskAt(cabinet.id, after, () => {
      world.count("machine without power at a write");
      cabinet.cutPower();
    });
  },
};

const crashes: Pick<
  Acts,
  | "agentDies"
  | "agentDiesAtDisk"
  | "agentDiesAtStep"
  | "platformDies"
  | "platformDiesAtStep"
  | "platformDiesAtStatement"
  | "connectionLost"
> = {
  agentDies: (world, { at, share }) => {
    world.count("agent killed");
    boxOf(world, at).kill(share);
  },
  agentDiesAtDisk: (world, { at, after, share }) => {
    const box = boxOf(world, at);
    world.dooms.diskAt(box.name, after, () => {
      world.count("agent killed at a write");
      box.kill(share);
    });
  },
  agentDiesAtStep: (world, { at, step, share }) => dieAtStep(world, boxOf(world, at), step, share),
  platformDies: (world) => world.killPlatform("platform killed"),
  platformDiesAtStep: (world, { step }) =>
    world.dooms.stepAt("platform", step, () => world.killPlatform("platform killed at a step")),
  platformDiesAtStatement: (world, { after, behind }) =>
    world.dooms.statementAt({ left: after, fault: behind ? "killedAfter" : "killedBefore" }),
  connectionLost: (world, { after, behind }) =>
    world.dooms.statementAt({ left: after, fault: behind ? "lostAfter" : "lostBefore" }),
};

const troubles: Pick<Acts, "linkCut" | "storm" | "pageStorm" | "cable" | "diskFull" | "slowDatabase"> = {
  linkCut: (world, { at }) => {
    world.count("agent's link cut");
    boxOf(world, at).cutLink();
  },
  storm: (world, { at, weather }) => {
    boxOf(world, at).weather = WEATHERS[weather] ?? CALM;
  },
  pageStorm: (world, { who, weather }) => {
    visitorOf(world, who).weather = WEATHERS[weather] ?? CALM;
  },
  cable: (world, { cable }) => {
    world.cable = CABLES[cable] ?? SOUND;
  },
  diskFull: (world, { at, full }) => {
    if (full) world.count("agent's disk full");
    boxOf(world, at).diskFull(full);
  },
  slowDatabase: (world, { slow }) => {
    const { chance, gate } = world;
    if (slow) world.count("database slow for a while");
    gate.slowMs = () => (slow && chance.hits(0.05) ? chance.next() * 4_000 : chance.next() * 1.5);
  },
};

const ACTS: Acts = { ...player, ...seat, ...venue, ...crashes, ...troubles };
