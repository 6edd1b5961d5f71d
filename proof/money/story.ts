import { SIMULATED_FAULTS } from "@longarm/contract/machine";
import fc from "fast-check";
import type pg from "pg";
import type WebSocket from "ws";
import type { PlatformDeps } from "../../apps/platform/src/deps.ts";
import { SOUND } from "./agent-box.ts";
import type { Row } from "./books.ts";
import { Breach, checkBooks, checkStanding } from "./books.ts";
import { FRIENDLY } from "./call-line.ts";
import { unaccountable } from "./claims.ts";
import type { Databases, Observe } from "./database.ts";
import type { Deed } from "./deeds.ts";
import { happen, storyOf } from "./deeds.ts";
import type { Figures } from "./figures.ts";
import { figuresOf } from "./figures.ts";
import type { WalletKind } from "./operator-side.ts";
import { operatorUnrest } from "./operator-side.ts";
import type { PaymentLine } from "./provider-side.ts";
import { PROMPT, paymentLines, providerUnrest, reviewOne, settleOne } from "./provider-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import type { Schedule } from "./schedule.ts";
import { CALM } from "./wire.ts";
import type { Plant, World } from "./world.ts";
import { openWorld } from "./world.ts";

type StoryOptions = {
  readonly seed: number;
  /** Where in the shrunk tree of this seed the story is; absent: at its root. */
  readonly path?: string | undefined;
  readonly deedsMax: number;
  /** So many times as many crashes and troubles as usual; 1 or more. */
  readonly faults: number;
  /** Looks for the smallest story that fails for as long as this, ms; 0: not at all. */
  readonly shrinkMs: number;
};

export type StoryFailed = {
  readonly is: "failed";
  readonly seed: number;
  readonly path: string;
  readonly sentence: string;
  readonly deeds: readonly Deed[];
};
export type StoryHeld = { readonly is: "held"; readonly figures: Figures };

/** Lives through the story of a seed, and looks for the smallest one that fails if it does. */
export async function checkStory(
  databases: Databases,
  room: Omit<StoryRoom, "chance" | "client">,
  { seed, path, deedsMax, faults, shrinkMs }: StoryOptions,
): Promise<StoryHeld | StoryFailed> {
  let figures: Figures = {};
  const property = fc.asyncProperty(storyOf(deedsMax, faults, room), fc.noBias(fc.integer()), async (deeds, chance) => {
    const client = await databases.client();
    figures = figuresOf(await runStory({ ...room, client, chance }, deeds), deeds.length);
  });
  const result = await fc.check(property, {
    seed,
    numRuns: 1,
    endOnFailure: shrinkMs === 0,
    ...(path !== undefined && { path }),
    ...(shrinkMs > 0 && { interruptAfterTimeLimit: shrinkMs }),
  });
  if (!result.failed) return { is: "held", figures };
  const sentence = sentenceOf(result.errorInstance);
  const [deeds = []] = result.counterexample ?? [];
  return { is: "failed", seed, path: result.counterexamplePath ?? "0", sentence, deeds };
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Breach ? error.message : (error.stack ?? error.message);
}

type StoryRoom = {
  /** To a database in which no story was yet. */
  readonly client: pg.Client;
  readonly chance: number;
  readonly machines: MachineKind;
  /** Default: our own. */
  readonly wallet?: WalletKind | undefined;
  readonly plant?: Plant | undefined;
  /** The identity of machines and ledger is checked each so many deeds. */
  readonly checkEvery: number;
  readonly observed?: Observe | undefined;
};

type StoryEnd = {
  readonly rows: readonly Row[];
  readonly payments: readonly PaymentLine[];
  readonly world: World;
  /** Transfers that a machine has carried out and lost the record of, left to a person. */
  readonly claims: number;
};

const AGENTS = 3;
const MACHINES_OF_AGENT = 4;

/** Lives through one story and checks everything. @throws Breach when something that must hold does not. */
export async function runStory(room: StoryRoom, deeds: readonly Deed[]): Promise<StoryEnd> {
  const ledger = room.plant && LEDGERS[room.plant];
  const world = await openWorld({
    client: room.client,
    seed: room.chance,
    agents: AGENTS,
    machinesOfAgent: MACHINES_OF_AGENT,
    machines: room.machines,
    wallet: room.wallet ?? "own",
    observed: room.observed,
    forgetful: room.plant === "forgetfulAgent",
    hasty: room.plant === "hastyDriver",
    silenceIsNo: room.plant === "silenceIsNo",
    providerSilenceIsNo: room.plant === "providerSilenceIsNo",
    ...(ledger && { ledger }),
    ...(room.plant === "hopefulCashOut" && { agentSocket: hopesFor }),
  });
  try {
    for (const [at, deed] of deeds.entries()) {
      await happen(world, deed);
      if (at % room.checkEvery === 0) await checkStanding(world);
    }
    await comeToRest(world);
    await checkStanding(world);
    const rows = await checkBooks(world);
    const claims = [...(await unaccountable(world)).values()].flat().length;
    return { rows, payments: await paymentLines(world), world, claims };
  } catch (error) {
    if (error instanceof Breach) error.message += `\n  the platform's log:\n    ${world.log.slice(-12).join("    ")}`;
    throw error;
  } finally {
    world.end();
  }
}

/*
 * Bugs put in on purpose: the model has to find each of them, or it proves nothing. An agent that has lost its journal is a disk that is empty
 * at every start; a hasty driver, of machines behind SAS, is one that does not wait for what comes late; a platform for which silence is no takes a
 * debit of the operator's wallet that was not answered for one that was refused, or so a payment that its provider did not answer.
 */

type Ledger = PlatformDeps["ledger"];

/** What a hold is posted as is moved once more under a new id. */
function postsTwice(real: Ledger): Ledger {
  return {
    ...real,
    within: (transaction) => postsTwice(real.within(transaction)),
    post: async (holdId, command) => {
      const posted = await real.post(holdId, command);
      if (posted.is === "refused" || posted.replayed) return posted;
      const { kind, from, to, amountMinor } = posted.transfer;
      // Only now and then, as such a bug would be.
      if (kind !== "correction" && amountMinor % 7 === 0)
        await real.transfer({ id: `${holdId}-2`, kind, from, to, amountMinor });
      return posted;
    },
  };
}

/** What a provider reports counts twice: what came in is booked once more under a new id. */
function booksTwice(real: Ledger): Ledger {
  return {
    ...real,
    within: (transaction) => booksTwice(real.within(transaction)),
    transfer: async (command) => {
      const done = await real.transfer(command);
      if (done.is === "done" && command.from.startsWith("provider:") && command.kind === "deposit")
        if (command.amountMinor % 7 === 0) await real.transfer({ ...command, id: `${command.id}-2` });
      return done;
    },
  };
}

/** A deposit that was charged back is so in its row, and the money stays in the wallet. */
function forgetsChargeBacks(real: Ledger): Ledger {
  return {
    ...real,
    within: (transaction) => forgetsChargeBacks(real.within(transaction)),
    correct: async (command) => {
      const transfer = command.reason.startsWith("chargedBack") && (await real.findTransfer(command.transferId));
      return transfer ? { is: "done", replayed: false, transfer } : await real.correct(command);
    },
  };
}

const LEDGERS: Partial<Record<Plant, (real: Ledger) => Ledger>> = {
  holdTwice: postsTwice,
  depositTwice: booksTwice,
  forgottenChargeBack: forgetsChargeBacks,
};

/** After this long without an answer a hopeful platform believes in one, ms. */
const HOPE_MS = 700;

/** A cash-out without an answer counts as made: the page assumes the requested amount. */
function hopesFor(socket: WebSocket, schedule: Schedule): WebSocket {
  const send = socket.send.bind(socket) as (text: string) => void;
  return Object.assign(socket, {
    send: (text: string) => {
      send(text);
      const { request, id, method, data } = JSON.parse(text) as Record<string, unknown>;
      const amount = (data as { amount?: number } | undefined)?.amount;
      if (request !== true || method !== "egm.cashOut" || amount === undefined) return;
      const answer = { response: true, id, ok: true, data: { outcome: "done", amount } };
      schedule.after(HOPE_MS, () => void socket.emit("message", JSON.stringify(answer), false));
    },
  });
}

const ROUNDS_MAX = 60;
const ROUND_MS = 5_000;
/** From then on staff ends what does not end by itself (a bonus that waits for its player calls for staff). */
const STAFF_ROUND = 6;

/** Repairs everything, and waits until the platform and staff have decided every transfer and freed every seat. */
async function comeToRest(world: World): Promise<void> {
  mend(world);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // Lost frames are sent again after the next hello, as after every real loss.
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
  if (world.operator !== undefined) world.operator.line.weather = FRIENDLY;
  for (const provider of world.providers) provider.weather = PROMPT;
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
    for (const kind of SIMULATED_FAULTS)
      if (state.faults[kind] !== undefined) machine.faults.end(kind).catch(world.schedule.fail);
    const handPayId = state.handPay?.id;
    if (handPayId !== undefined && world.node.ready)
      play?.sessions.confirmHandPay({ machineId: cabinet.id, handPayId, staff: "proof" }).catch(() => undefined);
  }
  for (const provider of world.providers) provider.decideAll();
  if (world.providers.length > 0)
    world.node
      .staff(async (trx, ledger) => {
        await reviewOne(trx, ledger, { at: round, approves: round % 2 === 0 });
        await settleOne(trx, ledger, `rest-${round}`);
      })
      .catch(() => undefined);
  if (round >= STAFF_ROUND && world.node.ready)
    for (const { playerId } of world.visitors) play?.sessions.endSessionsOf(playerId, "house").catch(() => undefined);
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
  const left = new Set((await unaccountable(world)).keys());
  const busy = world.cabinets.flatMap(({ id, machine }) => {
    if (left.has(id)) return [];
    const state = machine?.state();
    if (state === undefined) return [`${id} has no power`];
    const calm = state.game === null && state.handPay === null && state.credit === 0;
    return calm
      ? []
      : [`${id} has ${state.credit} credits${state.game ? ", a game" : ""}${state.handPay ? ", a hand pay" : ""}`];
  });
  return [
    ...seats.filter(({ id }) => !left.has(id)).map(({ id, state }) => `the seat of ${id} is ${state}`),
    ...open.map(({ id, state }) => `the transfer ${id} is ${state}`),
    ...busy,
    ...(await operatorUnrest(world)),
    ...(await providerUnrest(world)),
  ];
}
