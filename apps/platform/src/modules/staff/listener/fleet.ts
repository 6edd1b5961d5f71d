import * as z from "zod/mini";
import type { KeyEnded, KeyMade } from "../../play/agents/index.ts";
import { addAgent, endAgentKey, revokeAgent, rotateAgentKey } from "../../play/agents/index.ts";
import { deskAgents, deskFloor } from "../../play/desk/index.ts";
import type { Life, LifeAnswer, LifeTables } from "../../play/life/index.ts";
import {
  cancelRamClear,
  enrolMachine,
  isQuietAtRest,
  lastReadingOf,
  lifeOf,
  listLife,
  listRamClears,
  moveMachine,
  orderRamClear,
  retireMachine,
  returnMachine,
} from "../../play/life/index.ts";
import { machineExists } from "../../play/machines.ts";
import type { PlayDb, PlayTables } from "../../play/tables.ts";
import type { Evidence, StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { namesOf, personOf } from "../desk/index.ts";
import type { After, StaffCaller } from "../sign-in/index.ts";
import { actorOf, doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { carryOut, idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** Agents with their keys, and the life of machines. */
export function fleetHandlers(deps: ActsDeps): Handlers {
  return { ...keys(deps), ...lives(deps) };
}

function keys(deps: ActsDeps): Handlers {
  const { db, source, random } = deps;

  /** What an act did to keys. @throws Refused. */
  function done<T extends KeyMade | KeyEnded>(answer: T): Exclude<T, { readonly is: "refused" }> {
    if (answer.is === "refused") throw new Refused("act.refused", { sentence: answer.sentence });
    return answer as Exclude<T, { readonly is: "refused" }>;
  }

  /** Once it is committed, links whose key has ended are closed on every node. */
  const closeLinks = (after: After, { username }: StaffCaller, agentId: string) =>
    after.push(() => deps.ask({ kind: "agentKey", body: { agentId }, by: username }));

  return {
    agents: async () => await listed(db, await deskAgents(source)),
    enrolAgent: ({ act, body: { name, reason } }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const { agentId, key } = done(await addAgent(playOf(trx), random, name.trim(), reason));
          return { agent: agentId, key: key as string | null };
        },
        { secret: true, hide: ({ agent }) => ({ agent, key: null }) },
      ),
    rotateAgent: ({ act, caller, params, body: { old, reason } }) =>
      doAct(
        deps,
        act(),
        async (trx, after) => {
          const { id, name } = await agentIn(trx, params);
          const { key } = done(await rotateAgentKey(playOf(trx), random, { name, old, reason }));
          closeLinks(after, caller(), id);
          return { key: key as string | null };
        },
        { secret: true, hide: () => ({ key: null }) },
      ),
    endAgentKey: ({ act, caller, params, body: { reason } }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id, name } = await agentIn(trx, params);
        done(await endAgentKey(playOf(trx), { name, keyId: params["key"] ?? "", reason }));
        closeLinks(after, caller(), id);
        return {};
      }),
    revokeAgent: ({ act, caller, params, body: { reason } }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id, name } = await agentIn(trx, params);
        done(await revokeAgent(playOf(trx), name, reason));
        closeLinks(after, caller(), id);
        return {};
      }),
  };
}

/** @throws Refused. */
function check(answer: LifeAnswer): void {
  if (answer.is === "refused") throw new Refused("act.refused", { sentence: answer.sentence });
}

const lifeRow = ({ machineId, enrolledAt, retiredAt, ...life }: Life) => ({
  ...life,
  id: machineId,
  enrolledAt: enrolledAt.toISOString(),
  retiredAt: retiredAt?.toISOString() ?? null,
});

function lives(deps: ActsDeps): Handlers {
  return { ...lifeReads(deps), ...moves(deps), ...retirements(deps), ...ramClears(deps) };
}

/** What a second person sees: what was last compared, and what the machine shows now. */
async function evidence(trx: StaffTransaction, machineId: string): Promise<Evidence[]> {
  const last = await lastReadingOf(wholeOf(trx), machineId);
  const [machine] = await deskFloor(wholeOf(trx), machineId);
  return [
    { label: "answers", value: machine?.answers === true ? "yes" : "no" },
    { label: "comparedAt", value: last?.takenAt.toISOString() ?? "–" },
    { label: "gamesCompared", value: String(last?.gamesPlayed ?? "–") },
    { label: "creditCompared", value: null, amount: last?.credit ?? 0 },
  ];
}

async function requested(
  { random }: ActsDeps,
  trx: StaffTransaction,
  caller: StaffCaller,
  content: z.output<typeof MachineAct>,
  reason: string,
) {
  return await requestApproval(trx, random, caller, {
    kind: "machine.configure",
    subject: `machine:${content.machine}`,
    reason,
    content,
    evidence: await evidence(trx, content.machine),
  });
}

function lifeReads({ db, source }: ActsDeps): Handlers {
  return {
    machines: async () => await listed(db, (await listLife(source)).map(lifeRow)),
    machineLife: async ({ params }) => {
      const id = idIn(params, "machine");
      const life = await lifeOf(source, id);
      if (life === undefined) throw new Refused("thing.unknown", { kind: "machine" });
      const clears = await listRamClears(source, id);
      const names = await namesOf(
        db,
        clears.flatMap(({ people }) => people),
      );
      const last = await lastReadingOf(source, id);
      return {
        life: lifeRow(life),
        ramClears: clears.map(({ people, orderedAt, gapFrom, gapTo, ...clear }) => ({
          ...clear,
          before: { ...clear.before, totals: clear.before.totals as Record<string, unknown> | null },
          after: clear.after && { ...clear.after, totals: clear.after.totals as Record<string, unknown> | null },
          people: people.map((person) => personOf(names, person)),
          orderedAt: orderedAt.toISOString(),
          gapFrom: gapFrom.toISOString(),
          gapTo: gapTo?.toISOString() ?? null,
        })),
        lastReading: last && {
          number: last.number,
          at: last.takenAt.toISOString(),
          credit: last.credit,
          gamesPlayed: last.gamesPlayed,
        },
      };
    },
  };
}

function moves(deps: ActsDeps): Handlers {
  return {
    enrolMachine: ({ act, caller, body }) =>
      doAct(deps, act(), async (trx) => {
        const { machine: machineId, agent: agentId, name, group, theoreticalReturn, reason } = body;
        if (agentId !== null) await agentIn(trx, { id: agentId });
        const machine = { machineId, agentId, name, group, theoreticalReturn };
        check(await enrolMachine(lifeIn(trx), machine, { by: actorOf(caller()), reason }));
        return {};
      }),
    moveMachine: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const id = idIn(params, "machine");
        const { agent: agentId, name, group, theoreticalReturn, reason } = body;
        if ((await lifeOf(wholeOf(trx), id)) === undefined) throw new Refused("thing.unknown", { kind: "machine" });
        if (agentId != null) await agentIn(trx, { id: agentId });
        const move = { agentId, name, group, theoreticalReturn };
        check(await moveMachine(lifeIn(trx), id, move, { by: actorOf(caller()), reason }));
        if (agentId != null) release(deps, after, caller().username, id);
        return {};
      }),
  };
}

function retirements(deps: ActsDeps): Handlers {
  const { secondPerson } = deps;
  return {
    retireMachine: async ({ act, caller, params, body: { reason } }) => {
      const order = act();
      const id = idIn(params, "machine");
      // Before the act's transaction: the platform needs the seat's lock to read the machine.
      const isRead =
        (await deps.ask({ kind: "compare", machineId: id, body: {}, by: caller().username })).is === "done";
      return await doAct(deps, order, async (trx, after) => {
        const life = await lifeOf(wholeOf(trx), id);
        if (life === undefined) throw new Refused("thing.unknown", { kind: "machine" });
        const open = await isQuietAtRest(lifeIn(trx), id);
        if (open !== null) throw new Refused("act.refused", { sentence: open });
        if (secondPerson && life.state === "inService" && !isRead)
          return await requested(deps, trx, caller(), { act: "retire", machine: id }, reason);
        check(await retireMachine(lifeIn(trx), id, { by: actorOf(caller()), reason }));
        release(deps, after, caller().username, id);
        return {};
      });
    },
    returnMachine: ({ act, caller, params, body: { reason } }) =>
      doAct(deps, act(), async (trx) => {
        check(await returnMachine(lifeIn(trx), idIn(params, "machine"), { by: actorOf(caller()), reason }));
        return {};
      }),
  };
}

function ramClears(deps: ActsDeps): Handlers {
  const { secondPerson } = deps;
  return {
    orderRamClear: async ({ act, caller, params, body: { reason } }) => {
      const order = act();
      const id = idIn(params, "machine");
      // What it counted until now is compared while it can be: the gap begins there.
      await deps.ask({ kind: "compare", machineId: id, body: {}, by: caller().username });
      return await doAct(deps, order, async (trx, after) => {
        if (!(await machineExists(wholeOf(trx), id))) throw new Refused("thing.unknown", { kind: "machine" });
        const open = await isQuietAtRest(lifeIn(trx), id);
        if (open !== null) throw new Refused("act.refused", { sentence: open });
        if (secondPerson) return await requested(deps, trx, caller(), { act: "ramClear", machine: id }, reason);
        check(await orderRamClear(lifeIn(trx), id, { people: [caller().staffId], reason }));
        carryOut(deps, after, caller().username, [id]);
        return {};
      });
    },
    cancelRamClear: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx, after) => {
        const id = idIn(params, "machine");
        check(await cancelRamClear(lifeIn(trx), id));
        carryOut(deps, after, caller().username, [id]);
        return {};
      }),
  };
}

const MachineAct = z.strictObject({ act: z.enum(["retire", "ramClear"]), machine: z.string() });

/** What a second signature lets happen to a machine. */
export function fleetExecutes(deps: ActsDeps): Executes {
  return {
    "machine.configure": async (trx, content, { requestedBy, signedBy, reason, after }) => {
      const { act, machine } = z.parse(MachineAct, content);
      // Something of it is open since it was requested: it is not what both people saw.
      if ((await isQuietAtRest(lifeIn(trx), machine)) !== null) throw new Refused("approval.changed");
      const people = [requestedBy, signedBy];
      const by = (await usernameIn(trx, requestedBy)) ?? requestedBy;
      if (act === "ramClear") {
        check(await orderRamClear(lifeIn(trx), machine, { people, reason }));
        return carryOut(deps, after, by, [machine]);
      }
      check(await retireMachine(lifeIn(trx), machine, { by: `staff:${by}`, reason }));
      release(deps, after, by, machine);
    },
  };
}

/** Once it is committed, the machine leaves the link that carries it. */
function release({ ask }: ActsDeps, after: After, by: string, machineId: string): void {
  after.push(() => ask({ kind: "release", machineId, body: {}, by }));
}

async function usernameIn(trx: StaffTransaction, staffId: string): Promise<string | undefined> {
  return (await trx.selectFrom("staff").select("username").where("id", "=", staffId).executeTakeFirst())?.username;
}

const lifeIn = (trx: StaffTransaction) => wholeOf(trx).withTables<LifeTables>();
const playOf = (trx: StaffTransaction): PlayDb => wholeOf(trx).withTables<PlayTables>();

/** The agent of an address. @throws Refused. */
async function agentIn(trx: StaffTransaction, params: Readonly<Record<string, string>>) {
  const id = idIn(params, "agent");
  const found = (await deskAgents(wholeOf(trx))).find((agent) => agent.id === id);
  if (found === undefined) throw new Refused("thing.unknown", { kind: "agent" });
  return found;
}
