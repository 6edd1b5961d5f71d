import type { Hello } from "@longarm/contract/agent-link";
import { AGENT_CLOCK_OFF_MS_MAX } from "@longarm/contract/agent-link";
import type { Problem } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import { takeReading } from "../books/index.ts";
import { countedOn } from "../counted-on.ts";
import type { PlayDeps } from "../deps.ts";
import type { Admitted, LifeTables } from "../life/index.ts";
import { admits, beginBaseline, beginService } from "../life/index.ts";
import { storeHello } from "../machines.ts";
import { ensureSeat } from "../seat/index.ts";
import type { PlayDb, PlayTransaction } from "../tables.ts";
import type { Links } from "./links.ts";

type HelloMachine = Hello["machines"][number];
export type Claim = { readonly agentId: string; readonly linkId: string; readonly hello: Hello };
export type Claimed =
  | {
      readonly is: "claimed";
      readonly taken: Record<string, number>;
      /** What is added to each machine's own count of games. */
      readonly gamesBases: ReadonlyMap<string, number>;
      /** Why machines of the hello are not taken: another agent's, retired, or not enrolled. */
      readonly skipped: readonly string[];
    }
  | { readonly is: "refused"; readonly problem: Problem };

/** How long the link that holds a machine may take to show that it lives, ms. */
const PROBE_MS = 2_000;

/** A seat's number grows by one with each sitting down, and has to have room to grow: no machine was ever played so often. */
const EPOCH_MAX = 1_000_000_000_000;

/** Why an agent is not let in at all, before any machine is looked at. */
export function helloProblem(hello: Hello, nowMs: number): Problem | undefined {
  const offMs = Math.round(hello.clock - nowMs);
  if (Math.abs(offMs) > AGENT_CLOCK_OFF_MS_MAX) {
    const way = offMs > 0 ? "ahead of" : "behind";
    return refusal(
      `The agent's clock is ${Math.abs(offMs)} ms ${way} the platform's: set it by NTP, at most 2000 ms may be off`,
    );
  }
  const worn = hello.machines.find(({ epoch }) => epoch > EPOCH_MAX);
  if (worn) return refusal(`The machine ${worn.id} has seen the seat number ${worn.epoch}: no platform has given that`);
  const ids = hello.machines.map(({ id }) => id);
  const doubled = ids.find((id, index) => ids.indexOf(id) !== index);
  return doubled === undefined ? undefined : refusal(`The machine ${doubled} is named twice in this hello`);
}

/**
 * Takes all machines of a hello for one link, or none. A machine that another link holds is taken over only when that link is
 * dead: its node has ended, or says that its agent does not answer.
 */
export async function claimMachines(deps: PlayDeps, links: Links, claim: Claim): Promise<Claimed> {
  // All machines of an agent were on one node, most of the time.
  const known = new Map<string, Promise<boolean>>();
  const isGone: HasEnded = (nodeId) => {
    const ended = known.get(nodeId) ?? hasEnded(deps, nodeId);
    known.set(nodeId, ended);
    return ended;
  };
  // A machine that is not this agent's keeps neither it nor its other machines waiting.
  const first = await Promise.all(claim.hello.machines.map(({ id }) => mayBring(deps, deps.db, claim, id)));
  const own = claim.hello.machines.filter((_, at) => first[at]?.is === "admitted");
  const found = await Promise.all(own.map(({ id }) => findHolder(deps, links, id, isGone)));
  const held = found.find(({ is }) => is === "held");
  if (held) return { is: "refused", problem: heldByAnother(held.machineId) };
  const dead = new Map(found.map((holder) => [holder.machineId, holder.linkId]));
  try {
    return await runTransaction(deps.db, async (trx) => {
      const taken: Record<string, number> = {};
      const gamesBases = new Map<string, number>();
      const skipped: string[] = [];
      await storeAgentHello(deps, trx, claim);
      for (const machine of claim.hello.machines.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
        const admitted = await mayBring(deps, trx, claim, machine.id);
        if (admitted.is === "skipped") {
          skipped.push(admitted.sentence);
          continue;
        }
        const stored = await storeMachine(deps, trx, claim, named(machine, admitted.name), admitted.isBound);
        if (typeof stored === "string") throw new ClaimRefused(refusal(stored));
        taken[machine.id] = stored.takenSeq;
        gamesBases.set(machine.id, stored.gamesBase);
        await storeLink(deps, trx, claim, machine.id, dead.get(machine.id) ?? null);
      }
      return { is: "claimed", taken, gamesBases, skipped };
    });
  } catch (error) {
    if (error instanceof ClaimRefused) return { is: "refused", problem: error.problem };
    throw error;
  }
}

function mayBring({ config }: PlayDeps, db: PlayDb, { agentId }: Claim, machineId: string): Promise<Admitted> {
  return admits(db.withTables<LifeTables>(), machineId, agentId, config.play.ENROL_FIRST);
}

function heldByAnother(machineId: string): Problem {
  return refusal(
    `The machine ${machineId} is held by another live link: stop the other agent, or give each its own machines`,
  );
}

class ClaimRefused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

function refusal(detail: string): Problem {
  return { name: "request.invalid", detail };
}

/** `gone`: no live link holds it; `linkId` is a link whose row is still there although it is dead. */
type Holder = { readonly is: "held" | "gone"; readonly machineId: string; readonly linkId: string | null };

type HasEnded = (nodeId: string) => Promise<boolean>;

async function hasEnded({ nodes }: PlayDeps, nodeId: string): Promise<boolean> {
  return (await nodes.ended([nodeId])).length > 0;
}

/** Finds out whether a living link holds the machine: its node has ended, or its agent answers it. */
async function findHolder(deps: PlayDeps, links: Links, machineId: string, isGone: HasEnded): Promise<Holder> {
  const row = await deps.db
    .selectFrom("agent_link")
    .select(["node_id", "link_id", sql<boolean>`lease_until > clock_timestamp()`.as("leased")])
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  const lives = async (nodeId: string): Promise<boolean> => {
    if (nodeId === deps.config.play.NODE_ID) return await links.isAlive(machineId, PROBE_MS);
    if ((await isGone(nodeId)) || !(await links.isHeldBy(nodeId, machineId, PROBE_MS))) return false;
    // It may have said nothing because it ended just now.
    return !(await hasEnded(deps, nodeId));
  };
  const isHeld = row?.leased === true && (await lives(row.node_id));
  return { is: isHeld ? "held" : "gone", machineId, linkId: row?.link_id ?? null };
}

/** What the agent says of itself, for staff. */
async function storeAgentHello({ clock }: PlayDeps, trx: PlayTransaction, { agentId, hello }: Claim): Promise<void> {
  const row = { version: hello.version, clock_off_ms: Math.round(hello.clock - clock.now()), at: databaseNow() };
  await trx
    .insertInto("agent_hello")
    .values({ agent_id: agentId, ...row })
    .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(row))
    .execute();
}

/** The machine under the venue's own name. */
const named = (machine: HelloMachine, name: string | null): HelloMachine =>
  name === null ? machine : { ...machine, name };

type Stored = { readonly takenSeq: number; readonly gamesBase: number };

/** Writes what the machine is now. Answers a sentence when it cannot be the machine we know under this id. */
async function storeMachine(
  deps: PlayDeps,
  trx: PlayTransaction,
  claim: Claim,
  machine: HelloMachine,
  isBound: boolean,
): Promise<Stored | string> {
  const { meters: shown, totals, state, epoch, jackpots, ...facts } = machine;
  // The seat first, as everywhere; a new machine has none.
  const seat = await trx
    .selectFrom("seat")
    .select("state")
    .where("machine_id", "=", machine.id)
    .forUpdate()
    .executeTakeFirst();
  const known = await trx
    .selectFrom("machine")
    .select(["agent_id", "taken_seq", "taken_game", "games_base"])
    .where("id", "=", machine.id)
    .forUpdate()
    .executeTakeFirst();
  // Only that agent's journal has what it owes a player.
  if (known && known.agent_id !== claim.agentId && seat !== undefined && seat.state !== "free") {
    return `The machine ${machine.id} is another agent's and a play session runs on it: bring that agent back, and move the machine when it is free`;
  }
  const gamesBase = known && (await gamesBaseOf(deps, trx, machine, known));
  if (typeof gamesBase === "string") return gamesBase;
  const meters = countedOn(shown, gamesBase ?? 0);
  if (known && meters.gamesPlayed < known.taken_game) {
    return `The machine ${machine.id} counts ${meters.gamesPlayed} games, but ${known.taken_game} of it are in the history: meters never fall, so this is another machine and needs another id, or staff orders a RAM clear first`;
  }
  if (known && !isBound && known.agent_id !== claim.agentId)
    await raiseMoved(deps, trx, machine.id, known.agent_id, claim.agentId);
  await storeHello(trx, machine.id, known === undefined, {
    agent_id: claim.agentId,
    facts: JSON.stringify(facts),
    meters: JSON.stringify(meters),
    meters_at: new Date(claim.hello.clock),
    lockup: meters.lockup ?? null,
    offline: state === "offline",
    jackpots: JSON.stringify(jackpots),
  });
  await ensureSeat(trx, machine.id, epoch);
  await beginService(trx.withTables<LifeTables>(), machine.id, claim.agentId);
  // What a new machine had counted before it came here is where its comparison begins.
  if (known === undefined && state !== "offline") {
    const nodeId = deps.config.play.NODE_ID;
    const first = {
      machineId: machine.id,
      playSessionId: null,
      why: "hello",
      shown: { meters, totals },
      nodeId,
    } as const;
    await takeReading(deps.ledger, trx, first);
  }
  return { takenSeq: known?.taken_seq ?? 0, gamesBase: gamesBase ?? 0 };
}

/** What is added to the machine's own count of games; a RAM clear that staff ordered sets it anew. Answers a sentence where it cannot. */
async function gamesBaseOf(
  { ledger, log, config }: PlayDeps,
  trx: PlayTransaction,
  { id, meters, totals, state }: HelloMachine,
  known: { readonly taken_game: number; readonly games_base: number },
): Promise<number | string> {
  // What its agent knows of a machine that does not answer is from before.
  if (state === "offline") return known.games_base;
  const parts = { ledger, log, nodeId: config.play.NODE_ID };
  const baseline = await beginBaseline(parts, trx, id, { shown: { meters, totals }, takenGame: known.taken_game });
  if (baseline.is === "refused") return baseline.sentence;
  return baseline.is === "begun" ? baseline.gamesBase : known.games_base;
}

/**
 * A machine that is free may move. With one agent's key every machine whose own agent is away for a moment could be taken, so an alarm calls staff,
 * unless staff took the old agent's key away before, or moved the machine to its new agent.
 */
async function raiseMoved(
  { alarms }: PlayDeps,
  trx: PlayTransaction,
  machineId: string,
  from: string,
  to: string,
): Promise<void> {
  const old = await trx.selectFrom("agent").select("revoked_at").where("id", "=", from).executeTakeFirst();
  if (old === undefined || old.revoked_at !== null) return;
  await alarms.keep(trx, {
    alarm: "moved",
    subject: `machine:${machineId}`,
    machineId,
    facts: { machineId, from, to },
    sentence: "another agent brings a machine than before: if staff did not move it, take that agent's key away",
  });
}

/** Takes the machine for this link, unless another one was quicker than our look at who holds it. */
async function storeLink(
  { config }: PlayDeps,
  trx: PlayTransaction,
  claim: Claim,
  machineId: string,
  deadLinkId: string | null,
): Promise<void> {
  const link = {
    agent_id: claim.agentId,
    node_id: config.play.NODE_ID,
    link_id: claim.linkId,
    lease_until: databaseIn(config.play.NODE_LEASE_MS),
  };
  const stored = await trx
    .insertInto("agent_link")
    .values({ machine_id: machineId, ...link })
    .onConflict((conflict) =>
      conflict
        .column("machine_id")
        .doUpdateSet(link)
        .where(sql<boolean>`agent_link.lease_until <= clock_timestamp() or agent_link.link_id = ${deadLinkId}`),
    )
    .returning("link_id")
    .executeTakeFirst();
  if (stored === undefined) throw new ClaimRefused(heldByAnother(machineId));
}
