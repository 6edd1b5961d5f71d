import fc from "fast-check";
import { stakeOf } from "../../apps/agent/src/drivers/simulated/panel.ts";
import { MONEY_STEPS as AGENT_STEPS } from "../../apps/agent/src/money/money-steps.ts";
import { MONEY_STEPS as PLATFORM_STEPS } from "../../apps/platform/src/modules/play/wallet/index.ts";
import type { AgentBox, Cabinet, Cable } from "./agent-box.ts";
import { SOUND } from "./agent-box.ts";
import type { CallWeather } from "./call-line.ts";
import { FRIENDLY } from "./call-line.ts";
import type { WalletKind } from "./operator-side.ts";
import { HOLD_PRICE } from "./platform-node.ts";
import type { ProviderWeather } from "./provider-side.ts";
import { PROMPT, PROVIDERS, reviewOne, settleOne } from "./provider-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import { DENOMINATION_MINOR } from "./sas-machine.ts";
import type { Visitor } from "./visitor.ts";
import type { Weather } from "./wire.ts";
import { CALM } from "./wire.ts";
import type { World } from "./world.ts";

/** One thing that happens in a story; `gapMs` of virtual time pass behind it. Players, machines and agents are named by number. */
export type Deed = { readonly gapMs: number } & Happening;

const who = fc.nat(63);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 200, max: 9_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 9_001, max: 70_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 60_000, 60_001) },
);
const maybeAll = fc.option(amount, { nil: null, freq: 3 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Lasting faults are repaired more often than made, because most of a story would be an outage otherwise. */
const seldom = fc.constantFrom(true, false, false, false, false);
const soon = fc.integer({ min: 1, max: 60 });

const deed = <const Name extends string, Fields extends object = Record<never, never>>(
  name: Name,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): fc.Arbitrary<{ do: Name } & Fields> =>
  fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<{ do: Name } & Fields>;

const at = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const callWeather = fc.constantFrom("friendly", "lossy", "refusing", "late", "gone");
const reportWeather = fc.constantFrom("prompt", "silent", "doubling", "late", "wrong", "mixed");
const weather = fc.constantFrom("calm", "calm", "lossy", "doubling", "mixed", "late");

/** What decides what can happen: the kind of the machines, and where players' money is. */
type Kinds = { readonly machines: MachineKind; readonly wallet?: WalletKind | undefined };

/** Everything that may happen, and how often; `faults` times as many crashes and troubles. Of no weight: it cannot happen among these kinds. */
const happeningOf = (faults: number, { machines, wallet = "own" }: Kinds) => {
  const pays = wallet === "own" ? 1 : 0;
  return fc.oneof(
    at(330, deed("cashIn", { who, amount })),
    at(300, deed("cashOut", { who, amount: maybeAll })),
    at(30, deed("repeat", { who, back: fc.nat(2) })),
    at(12, deed("hold", { who, again: fc.boolean(), leaves: fc.boolean() })),
    at(40, deed("spin", { who, times: fc.integer({ min: 1, max: 4 }) })),
    at(4, deed("spinOver", { who })),
    at(3, deed("panel", { who, button: fc.constantFrom("betUp", "betDown", "maxBet", "band:10", "band:50") })),
    at(6, deed("stay", { who })),
    at(8, deed("leave", { who })),
    at(4, deed("drop", { who })),
    at(4, deed("reload", { who })),
    at(3, deed("move", { who, to: who })),
    at(2, deed("cancel", { who })),
    at(2, deed("kick", { who })),
    at(1, deed("ban", { who })),
    at(2, deed("house", { who })),
    at(3, deed("wish", { at: who, wish: fc.constantFrom("handpay", "handpay", "bonus", "freespins", "jackpot") })),
    at(14, deed("confirm", { at: who })),
    at(4, deed("door", { at: who, open: seldom })),
    at(4, deed("tilt", { at: who, on: seldom })),
    at(3, deed("line", { at: who, cut: seldom })),
    at(1 * faults, deed("power", { at: who })),
    at(2 * faults, deed("powerAtDisk", { at: who, after: soon })),
    at(1 * faults, deed("agentDies", { at: who, share })),
    at(2 * faults, deed("agentDiesAtDisk", { at: who, after: soon, share })),
    at(2 * faults, deed("agentDiesAtStep", { at: who, step: fc.constantFrom(...AGENT_STEPS), share })),
    at(1 * faults, deed("platformDies", {})),
    at(1 * faults, deed("platformDiesAtStep", { step: fc.constantFrom(...PLATFORM_STEPS) })),
    at(2 * faults, deed("platformDiesAtStatement", { after: fc.integer({ min: 1, max: 120 }), behind: fc.boolean() })),
    at(5 * faults, deed("connectionLost", { after: fc.integer({ min: 1, max: 60 }), behind: fc.boolean() })),
    at(3 * faults, deed("linkCut", { at: who })),
    at(3 * faults, deed("storm", { at: who, weather })),
    at(2 * faults, deed("pageStorm", { who, weather })),
    at(2 * faults, deed("cable", { cable: fc.constantFrom("sound", "sound", "deaf", "mute", "slow") })),
    at(3, deed("diskFull", { at: who, full: seldom })),
    at(2, deed("slowDatabase", { slow: seldom })),
    at(2, deed("quiet", { ms: fc.integer({ min: 500, max: 14_000 }) })),
    at(wallet === "operator" ? 6 * faults : 0, deed("operator", { weather: callWeather })),
    at(120 * pays, deed("pay", { who, kind: fc.constantFrom("deposit", "deposit", "withdrawal"), amount, by: who })),
    at(8 * pays, deed("payAgain", { who, back: fc.nat(2) })),
    at(8 * pays, deed("payCancel", { who, at: fc.nat(2) })),
    at(10 * pays, deed("payReview", { at: who, approves: fc.boolean() })),
    at(12 * pays, deed("paySettle", { id: fc.uuid() })),
    at(4 * faults * pays, deed("provider", { at: who, calls: callWeather, reports: reportWeather })),
    at(machines === "sas" ? faults : 0, deed("recordLost", { at: who, inTransfer: fc.boolean() })),
  );
};
type Happening = ReturnType<typeof happeningOf> extends fc.Arbitrary<infer H> ? H : never;

const gapMs = fc.oneof(at(6, fc.integer({ min: 0, max: 40 })), at(3, fc.integer({ min: 40, max: 200 })));

/** A story of up to `most` deeds, each length as likely. */
export const storyOf = (most: number, faults: number, kinds: Kinds): fc.Arbitrary<Deed[]> =>
  fc.noBias(
    fc.array(
      fc.tuple(happeningOf(faults, kinds), gapMs).map(([what, gap]) => ({ ...what, gapMs: gap }) as Deed),
      { minLength: 1, maxLength: most, size: "max" },
    ),
  );

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

const CALL_WEATHERS: Readonly<Record<string, CallWeather>> = {
  friendly: FRIENDLY,
  lossy: { lost: 0.1, unanswered: 0.1, refusing: 0, late: 0 },
  refusing: { lost: 0, unanswered: 0, refusing: 0.3, late: 0 },
  late: { lost: 0, unanswered: 0.05, refusing: 0, late: 0.15 },
  gone: { lost: 0.9, unanswered: 0.1, refusing: 0, late: 0 },
};

const REPORT_WEATHERS: Readonly<Record<string, ProviderWeather["reports"]>> = {
  prompt: PROMPT.reports,
  silent: { silent: 0.7, twice: 0, late: 0, wrong: 0 },
  doubling: { silent: 0, twice: 0.5, late: 0.2, wrong: 0 },
  late: { silent: 0, twice: 0, late: 0.7, wrong: 0 },
  wrong: { silent: 0, twice: 0, late: 0, wrong: 0.3 },
  mixed: { silent: 0.1, twice: 0.2, late: 0.2, wrong: 0.05 },
};

/** Lets a deed happen; what it starts continues by itself. */
export async function happen(world: World, deed: Deed): Promise<void> {
  if (deed.do === "quiet") return await world.schedule.pass(deed.ms + deed.gapMs);
  const act = ACTS[deed.do] as (world: World, deed: Deed) => unknown;
  // The story does not wait for the answer: it continues whatever the outcome is.
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

/** Each player has one machine of their own, and may also go to any other. */
function homeOf(world: World, who: number): string {
  return cabinetOf(world, who % world.visitors.length).id;
}

/** Behind SAS a page offers whole credits; the amounts at the edges stay as they are, and are refused. */
const EDGES: readonly number[] = [1, 60_001];
function payable(world: World, amount: number): number {
  if (world.options.machines === "simulated" || EDGES.includes(amount)) return amount;
  return amount - (amount % DENOMINATION_MINOR);
}

async function seated(world: World, who: number): Promise<Visitor | undefined> {
  const visitor = visitorOf(world, who);
  if (visitor.seat !== undefined || (await visitor.sit(homeOf(world, who)))) return visitor;
  return undefined;
}

/** A key of the panel, over the data channel: the agent receives it without the platform. */
function press(world: World, visitor: Visitor, button: string): void {
  const machineId = visitor.seat?.machineId ?? "";
  const state = world.cabinetOf(machineId)?.machine?.state();
  // A machine behind SAS does not say its stake, so the page does not either.
  const said = world.options.machines === "simulated" && button === "spin";
  const stake = state && said ? stakeOf(state.band, state.step) : undefined;
  const pressed = visitor.press(button, stake, world.schedule.now());
  const pressGuard = world.boxOf(machineId)?.agent?.machine(machineId)?.opened()?.pressGuard;
  if (pressed !== undefined) void pressGuard?.message(Buffer.from(JSON.stringify(pressed)), pressed.epoch);
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

const player: Pick<
  Acts,
  "cashIn" | "cashOut" | "repeat" | "hold" | "spin" | "spinOver" | "panel" | "stay" | "leave" | "drop"
> = {
  cashIn: async (world, { who, amount }) => await (await seated(world, who))?.money("cashIn", payable(world, amount)),
  cashOut: (world, { who, amount }) =>
    visitorOf(world, who).money("cashOut", amount === null ? null : payable(world, amount)),
  repeat: (world, { who, back }) => visitorOf(world, who).repeat(back),
  hold: (world, { who, again, leaves }) => visitorOf(world, who).hold({ price: HOLD_PRICE, again, leaves }),
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
    const stake = state && world.options.machines === "simulated" ? stakeOf(state.band, state.step) : undefined;
    const pressed = state && visitor.press("spin", stake, world.schedule.now());
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

const venue: Pick<Acts, "wish" | "confirm" | "door" | "tilt" | "line" | "power" | "powerAtDisk" | "recordLost"> = {
  wish: (world, { at, wish }) => cabinetOf(world, at).machine?.wish(wish),
  confirm: (world, { at }) => {
    const { id, machine } = cabinetOf(world, at);
    const handPayId = machine?.state().handPay?.id;
    if (handPayId !== undefined)
      door(world, (play) => play.sessions.confirmHandPay({ machineId: id, handPayId, staff: "proof" }));
  },
  door: (world, { at, open }) => {
    const faults = cabinetOf(world, at).machine?.faults;
    void (open ? faults?.begin("door") : faults?.end("door"))?.catch(() => undefined);
  },
  tilt: (world, { at, on }) => {
    const faults = cabinetOf(world, at).machine?.faults;
    void (on ? faults?.begin("tilt", "proof") : faults?.end("tilt"))?.catch(() => undefined);
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
  recordLost: (world, { at, inTransfer }) => {
    const { sas, machine } = cabinetOf(world, at);
    if (sas === undefined || machine === undefined) return;
    world.count(inTransfer ? "machine's record lost in a transfer" : "machine's record lost");
    if (inTransfer) sas.losesNext = true;
    else sas.loseRecord(machine);
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

/** Staff at the console. A platform that dies with a call, or a database that refuses it, leaves nothing of it. */
const atConsole = (world: World, ...[work]: Parameters<World["node"]["staff"]>): void =>
  void world.node.staff(work).catch(() => undefined);

const payments: Pick<Acts, "pay" | "payAgain" | "payCancel" | "payReview" | "paySettle" | "provider"> = {
  pay: (world, { who, kind, amount, by }) =>
    visitorOf(world, who).pay({ kind, amount, way: PROVIDERS[by % PROVIDERS.length]! }),
  payAgain: (world, { who, back }) => visitorOf(world, who).payAgain(back),
  payCancel: (world, { who, at }) => visitorOf(world, who).cancelPayment(at),
  payReview: (world, { at, approves }) => atConsole(world, (trx, ledger) => reviewOne(trx, ledger, { at, approves })),
  paySettle: (world, { id }) => atConsole(world, (trx, ledger) => settleOne(trx, ledger, id)),
  provider: ({ providers }, { at, calls, reports }) => {
    const provider = providers[at % providers.length];
    if (provider !== undefined)
      provider.weather = {
        calls: CALL_WEATHERS[calls] ?? FRIENDLY,
        reports: REPORT_WEATHERS[reports] ?? PROMPT.reports,
      };
  },
};

const troubles: Pick<Acts, "linkCut" | "storm" | "pageStorm" | "operator" | "cable" | "diskFull" | "slowDatabase"> = {
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
  operator: ({ operator }, { weather }) => {
    if (operator !== undefined) operator.line.weather = CALL_WEATHERS[weather] ?? FRIENDLY;
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

const ACTS: Acts = { ...player, ...payments, ...seat, ...venue, ...crashes, ...troubles };
